import { dashboardPages } from '@posthorn/contract';
import type { Locator, Page } from 'playwright-core';
import { describeInBrowser } from './describe-in-browser.js';
import { expectAccessible } from './expect-accessible.js';
import { type Filled, fillWorkspace } from './fill-workspace.js';
import { openAs } from './log-in.js';
import { doorPages, pathOf } from './path-of.js';
import { showPage } from './show-page.js';

type Tenant = { readonly email: string; readonly password: string };

const PHONE = { width: 360, height: 740 };
const DESK = { width: 1280, height: 800 };
const WALL = { width: 2560, height: 1440 };

/** Further states of pages that their path alone does not show. */
const FURTHER = ['/settings?tab=members', '/settings?tab=account', '/emails?status=bounced', '/emails?status=nonsense'];

const listPages = dashboardPages.filter((page) => !page.includes(':') && !doorPages.includes(page));

describeInBrowser('the dashboard is for everybody:', (t) => {
  let tenant: Tenant;
  let filled: Filled;
  let newcomer: Tenant;

  beforeAll(async () => {
    const owner = await t.newTenant();
    [tenant, newcomer, filled] = [owner, await t.newTenant(), await fillWorkspace(t, owner)];
  }, 120_000);

  const pathsInside = () => [
    ...dashboardPages.filter((page) => !doorPages.includes(page)).map((page) => pathOf(page, filled)),
    ...FURTHER,
    `/emails/${filled.bouncedId}`,
    `/emails/${filled.scheduledId}?tab=source`,
  ];

  describe.each(['light', 'dark'] as const)('%s pages', (colorScheme) => {
    test('at the door have no barriers, wide or narrow', async () => {
      const page = await t.newPage({ colorScheme });
      for (const path of [...doorPages, '/login?notice=ended', '/accept-invitation?token=none'])
        for (const viewport of [DESK, PHONE]) await judge(page, path, viewport);
    });

    test('of a new workspace have none', async () => {
      const page = await openAs(t, newcomer, '/', { colorScheme });
      for (const path of listPages) await judge(page, path, DESK);
    });

    test.each([
      ['wide', DESK],
      ['narrow', PHONE],
    ])('of a workspace in use have none, %s', async (_width, viewport) => {
      const page = await openAs(t, tenant, '/', { colorScheme });
      for (const path of pathsInside()) await judge(page, path, viewport);
    });
  });

  test('keeps lines short on the widest screens', async () => {
    const page = await openAs(t, tenant, '/', { viewport: WALL });
    for (const path of pathsInside()) {
      await showPage(page, path);
      const heading = await boxOf(page.getByRole('heading', { level: 1 }));
      const [room, { width }] = [await boxOf(page.getByRole('main')), WALL];
      expect([path, await sidewaysRoom(page)]).toEqual([path, 0]);
      // As much is free at its left, beside the navigation, as at its right.
      expect([path, heading.x > room.x + 100, width - heading.x]).toEqual([path, true, expect.any(Number)]);
    }
  });

  describe('by keyboard alone', () => {
    const focused = (page: Page) => page.locator('*:focus');

    test('one skips to the content, and sees where one is', async () => {
      const page = await openAs(t, tenant, '/emails');
      await page.evaluate('document.activeElement.blur()');
      await page.keyboard.press('Tab');
      expect(await focused(page).textContent()).toBe('Skip to content');
      expect(await isOnScreen(focused(page))).toBe(true);
      await page.keyboard.press('Enter');
      expect(new URL(page.url()).hash).toBe('#content');
      await page.keyboard.press('Tab');
      expect(await isWithin(focused(page), 'main')).toBe(true);
      for (let stop = 0; stop < 10; stop += 1) {
        expect([stop, await outlineOf(focused(page))]).toEqual([stop, expect.not.stringMatching(/none|0px/)]);
        await page.keyboard.press('Tab');
      }
    });

    test('one opens the menu, moves in it and closes it', async () => {
      const page = await openAs(t, tenant, '/');
      const button = page.getByRole('banner').getByRole('button', { name: 'Test', exact: true });
      await button.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menu').waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      expect(await focused(page).getAttribute('role')).toBe('menuitem');
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'hidden' });
      expect(await isWithin(button, '*:focus')).toBe(true);
    });

    test.each([
      ['/api-keys', 'Create a key'],
      ['/domains', 'Add a domain'],
      [':template', 'Send a test'],
      [':scheduled', 'Reschedule'],
    ])('one opens and closes the dialog of %s, and is where one was', async (path, name) => {
      const paths: Record<string, string> = {
        ':template': `/templates/${filled.templateId}`,
        ':scheduled': `/emails/${filled.scheduledId}`,
      };
      const page = await openAs(t, tenant, paths[path] ?? path);
      const button = page.getByRole('button', { name });
      await button.focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.waitFor();
      await expectAccessible(page);
      for (let stop = 0; stop < 12; stop += 1) {
        await page.keyboard.press('Tab');
        expect([stop, await isWithin(focused(page), '[role=dialog]')]).toEqual([stop, true]);
      }
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      await page.getByRole('button', { name }).and(page.locator('*:focus')).waitFor();
    });

    test('one leaves the editor of a template as its hint says', async () => {
      const page = await openAs(t, tenant, `/templates/${filled.templateId}`);
      const editor = page.getByRole('textbox', { name: 'HTML' });
      await editor.focus();
      await page.keyboard.press('Tab');
      expect(await isWithin(focused(page), '.cm-content')).toBe(true);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Tab');
      await page.getByRole('textbox', { name: 'Text' }).and(page.locator('*:focus')).waitFor();
    });

    test('one uses the navigation of a narrow screen', async () => {
      const page = await openAs(t, tenant, '/', { viewport: PHONE });
      const menu = page.getByRole('button', { name: 'Menu' });
      await page.getByRole('link', { name: 'Templates', exact: true }).waitFor({ state: 'hidden' });
      await menu.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Templates', exact: true }).press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor();
      await page.getByRole('link', { name: 'Templates', exact: true }).waitFor({ state: 'hidden' });
    });
  });
});

async function judge(page: Page, path: string, viewport: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(viewport);
  await showPage(page, path);
  await expectAccessible(page);
  expect([path, viewport.width, await sidewaysRoom(page)]).toEqual([path, viewport.width, 0]);
}

/** How far a page could be scrolled sideways, in pixels. */
function sidewaysRoom(page: Page): Promise<number> {
  return page.evaluate(
    'document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth',
  ) as Promise<number>;
}

async function boxOf(locator: Locator) {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('It is not to be seen.');
  return box;
}

async function isOnScreen(locator: Locator): Promise<boolean> {
  const { x, y } = await boxOf(locator);
  return x >= 0 && y >= 0;
}

function outlineOf(locator: Locator): Promise<string> {
  return locator.evaluate('(element) => getComputedStyle(element).outline');
}

function isWithin(locator: Locator, selector: string): Promise<boolean> {
  return locator.evaluate(`(element) => element.closest(${JSON.stringify(selector)}) !== null`);
}
