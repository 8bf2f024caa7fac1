import { dashboardPages } from '@posthorn/contract';
import type { Locator, Page } from 'playwright-core';
import { describeInBrowser } from './describe-in-browser.js';
import { expectAccessible } from './expect-accessible.js';
import { type Filled, fillWorkspace } from './fill-workspace.js';
import { openAs } from './log-in.js';
import { doorPages, pathOf } from './path-of.js';
import { showPage } from './show-page.js';

type Tenant = { readonly email: string; readonly password: string };

/**
 * Whether what has the focus looks otherwise than without it: by an outline, which of a link is as large as
 * its row, or by a border of another colour, as fields have it.
 */
const IS_MARKED = `(async () => {
  const element = document.activeElement;
  const look = async () => {
    await Promise.all(document.getAnimations().map(({ finished }) => finished));
    const styles = [getComputedStyle(element), getComputedStyle(element, '::after')];
    return styles.map(({ outline, borderColor, boxShadow }) => [outline, borderColor, boxShadow]).join();
  };
  const focused = await look();
  element.blur();
  const other = await look();
  element.focus();
  return focused !== other;
})()`;

const IS_IN_DIALOG = `document.activeElement.closest('[role=dialog]') !== null`;

const PHONE = { width: 360, height: 740 };
const DESK = { width: 1280, height: 800 };
/** 100 rem: the editor of templates beside its preview. */
const MOST_CONTENT = 1_600;

const WALL = { width: 2560, height: 1440 };

/** Further states of pages that their path alone does not show. */
const FURTHER = ['/settings?tab=members', '/settings?tab=account', '/emails?status=bounced', '/emails?status=nonsense'];

/** Pages that say something else as long as there is nothing. */
const emptyPages = ['/', '/emails', '/templates', '/domains', '/api-keys'];

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

  test('at the door', async () => {
    const page = await t.newPage();
    for (const path of [...doorPages, '/login?notice=ended', '/accept-invitation?token=none']) await judge(page, path);
  });

  test('in a new workspace', async () => {
    const page = await openAs(t, newcomer, '/');
    for (const path of emptyPages) await judge(page, path);
  });

  test('in a workspace that is in use', async () => {
    const page = await openAs(t, tenant, '/');
    for (const path of pathsInside()) await judge(page, path);
  });

  describe('by keyboard alone', () => {
    const focused = (page: Page) => page.locator('*:focus');

    test('one skips to the content, and sees where one is', async () => {
      const page = await openAs(t, tenant, '/emails');
      await page.keyboard.press('Tab');
      expect(await focused(page).textContent()).toBe('Skip to content');
      expect(await isOnScreen(focused(page))).toBe(true);
      await page.keyboard.press('Enter');
      expect(new URL(page.url()).hash).toBe('#content');
      await page.keyboard.press('Tab');
      await page.locator('main *:focus').waitFor();
      for (let stop = 0; stop < 8; stop += 1) {
        expect([stop, await page.evaluate(IS_MARKED)]).toEqual([stop, true]);
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
      await button.and(focused(page)).waitFor();
    });

    test.each([
      ['/api-keys', 'Create API key'],
      ['/domains', 'Add domain'],
      [':template', 'Send test'],
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
        expect([stop, await page.evaluate(IS_IN_DIALOG)]).toEqual([stop, true]);
      }
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      await page.getByRole('button', { name }).and(focused(page)).waitFor();
    });

    test('one leaves the editor of a template as its hint says', async () => {
      const page = await openAs(t, tenant, `/templates/${filled.templateId}`);
      const editor = page.getByRole('textbox', { name: 'HTML' });
      await editor.focus();
      await page.keyboard.press('Tab');
      await editor.and(focused(page)).waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Tab');
      await page.getByRole('textbox', { name: 'Text' }).and(focused(page)).waitFor();
    });

    test('one uses the navigation of a narrow screen', async () => {
      const page = await openAs(t, tenant, '/', { viewport: PHONE });
      const menu = page.getByRole('button', { name: 'Menu' });
      const navigation = page.getByRole('navigation', { name: 'Main' });
      await menu.focus();
      while ((await page.locator('main *:focus').count()) === 0) {
        await page.keyboard.press('Tab');
        expect(await navigation.locator('*:focus').count()).toBe(0);
      }
      await menu.focus();
      await page.keyboard.press('Enter');
      const link = page.getByRole('link', { name: 'Templates', exact: true });
      await link.focus();
      await link.and(focused(page)).press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor();
      await page.locator('nav[inert]').waitFor({ state: 'attached' });
    });
  });
});

/** One load for all looks: light, dark, narrow, and wider than its lines may be. */
async function judge(page: Page, path: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(DESK);
  await showPage(page, path);
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
  await page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished))');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await expectAccessible(page);
  await expectNoSidewaysRoom(page, path);
  await page.setViewportSize(WALL);
  await expectNoSidewaysRoom(page, path);
  const { width } = await boxOf(page.getByRole('heading', { level: 1 }).locator('xpath=ancestor::*[3]'));
  expect([path, width <= MOST_CONTENT]).toEqual([path, true]);
}

const SIDEWAYS_ROOM = 'document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth';

/** A page moves into place when its window changes; then it cannot be scrolled sideways. */
async function expectNoSidewaysRoom(page: Page, path: string): Promise<void> {
  await page.waitForFunction(`${SIDEWAYS_ROOM} === 0`, null, { timeout: 5_000 }).catch(() => {});
  expect([path, await page.evaluate(SIDEWAYS_ROOM)]).toEqual([path, 0]);
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
