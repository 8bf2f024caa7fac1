import { setTimeout as sleep } from 'node:timers/promises';
import { dashboardPages } from '@posthorn/contract';
import type { Locator, Page } from 'playwright-core';
import { describeInBrowser } from './describe-in-browser.js';
import { expectAccessible } from './expect-accessible.js';
import { type FilledWorkspace, fillWorkspace } from './fill-workspace.js';
import { authPages, pagePath } from './page-paths.js';
import { newPageAs, openAs, showPage } from './show-page.js';

type Tenant = { readonly email: string; readonly password: string };

/**
 * Whether the focused element looks different without focus. Links show an outline, which may be as large as their
 * row; fields change the color of their border.
 */
const HAS_VISIBLE_FOCUS = `(async () => {
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
const DESKTOP = { width: 1280, height: 800 };
/** 100 rem, enough to show the template editor and its preview side by side. */
const MAX_CONTENT_PX = 1_600;

const LARGE_DISPLAY = { width: 2560, height: 1440 };

/** Page states that depend on the query string. */
const PATHS_WITH_QUERY = [
  '/settings?tab=members',
  '/settings?tab=privacy',
  '/settings?tab=account',
  '/emails?status=bounced',
  '/emails?status=nonsense',
  '/webhooks?create=true',
  '/suppressions?dialog=add',
  '/suppressions?dialog=import',
  '/suppressions?topic=none',
];

/** Pages that show a special message in an empty workspace. */
const emptyPages = [
  '/',
  '/emails',
  '/templates',
  '/suppressions',
  '/domains',
  '/webhooks',
  '/webhooks?mode=test',
  '/api-keys',
];

describeInBrowser('the dashboard is accessible', (t) => {
  let tenant: Tenant;
  let filled: FilledWorkspace;
  let newcomer: Tenant;

  beforeAll(async () => {
    const owner = await t.newTenant();
    [tenant, newcomer, filled] = [owner, await t.newTenant(), await fillWorkspace(t, owner)];
  }, 120_000);

  test('before login', async () => {
    const page = await t.newPage();
    for (const path of [
      ...authPages,
      '/login?notice=ended',
      '/accept-invitation?token=none',
      '/verify-email?token=none',
    ])
      await checkPage(page, path);
  });

  test('in a new workspace', async () => {
    const page = await newPageAs(t, newcomer);
    for (const path of emptyPages) await checkPage(page, path);
  });

  test('before the email address is confirmed', async () => {
    const page = await t.newPage();
    const account = { email: 'unconfirmed@example.com', password: 'correct horse battery' };
    expect((await page.request.post('/auth/signup', { data: account })).status()).toBe(201);
    for (const path of ['/', '/settings?tab=members', '/verify-email?token=none']) await checkPage(page, path);
  });

  const appPages = dashboardPages.filter((page) => !authPages.includes(page));

  test.each(appPages)('in a workspace with content: %s', async (name) => {
    const page = await newPageAs(t, tenant);
    await checkPage(page, pagePath(name, filled));
  });

  test('in special states', async () => {
    const page = await newPageAs(t, tenant);
    const states = [`/emails/${filled.bouncedId}`, `/emails/${filled.scheduledId}?tab=source`];
    for (const path of [...PATHS_WITH_QUERY, ...states]) await checkPage(page, path);
  });

  describe('using only the keyboard:', () => {
    const focused = (page: Page) => page.locator('*:focus');

    /** Menus and dialogs take the focus a moment after they are shown. Until then, keys go to the button. */
    const untilFocusIsIn = (page: Page, selector: string) =>
      page.locator(`${selector}:focus, ${selector} *:focus`).waitFor({ state: 'attached' });

    test('users can skip to the content and see where the focus is', async () => {
      const page = await openAs(t, tenant, '/emails');
      await page.keyboard.press('Tab');
      expect(await focused(page).textContent()).toBe('Skip to content');
      expect(await isOnScreen(focused(page))).toBe(true);
      await page.keyboard.press('Enter');
      expect(new URL(page.url()).hash).toBe('#content');
      await page.keyboard.press('Tab');
      await page.locator('main *:focus').waitFor();
      for (let stop = 0; stop < 8; stop += 1) {
        expect([stop, await page.evaluate(HAS_VISIBLE_FOCUS)]).toEqual([stop, true]);
        await page.keyboard.press('Tab');
      }
    });

    test('users can open, navigate and close the menu', async () => {
      const page = await openAs(t, tenant, '/');
      const button = page.getByRole('banner').getByRole('button', { name: 'Test', exact: true });
      await button.focus();
      await page.keyboard.press('Enter');
      await untilFocusIsIn(page, '[role=menu]');
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
      ['/suppressions', 'Suppress address'],
      ['/suppressions', 'Import'],
      ['/webhooks', 'Create webhook'],
      [':webhook', 'Replay a period'],
      [':webhook', 'Rotate secret'],
      [':template', 'Send test'],
      [':scheduled', 'Reschedule'],
    ])('users can open and close the dialog on %s, and focus returns to the button', async (path, name) => {
      const paths: Record<string, string> = {
        ':template': `/templates/${filled.templateId}`,
        ':scheduled': `/emails/${filled.scheduledId}`,
        ':webhook': `/webhooks/${filled.webhookId}`,
      };
      const page = await openAs(t, tenant, paths[path] ?? path);
      const button = page.getByRole('button', { name });
      await button.focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog');
      await untilFocusIsIn(page, '[role=dialog]');
      await expectAccessible(page);
      for (let stop = 0; stop < 12; stop += 1) {
        await page.keyboard.press('Tab');
        expect([stop, await page.evaluate(IS_IN_DIALOG)]).toEqual([stop, true]);
      }
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      await page.getByRole('button', { name }).and(focused(page)).waitFor();
    });

    test('users can leave the template editor as its hint describes', async () => {
      const page = await openAs(t, tenant, `/templates/${filled.templateId}`);
      const editor = page.getByRole('textbox', { name: 'HTML' });
      await editor.focus();
      await page.keyboard.press('Tab');
      await editor.and(focused(page)).waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Tab');
      await page.getByRole('textbox', { name: 'Text' }).and(focused(page)).waitFor();
    });

    test('users can use the navigation on a narrow screen', async () => {
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

/** Waits until the page has its new layout and every animation has ended. */
async function untilDrawn(page: Page): Promise<void> {
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  await page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished))');
}

/** Loads a page once and checks it in light mode, in dark mode on a phone, and on a large display. */
async function checkPage(page: Page, path: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(DESKTOP);
  await showPage(page, path);
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
  await page.setViewportSize(PHONE);
  await untilDrawn(page);
  await expectAccessible(page);
  await expectNoHorizontalScroll(page, path);
  await page.setViewportSize(LARGE_DISPLAY);
  await expectNoHorizontalScroll(page, path);
  const { width } = await getBox(page.getByRole('heading', { level: 1 }).locator('xpath=ancestor::*[3]'));
  expect([path, width <= MAX_CONTENT_PX]).toEqual([path, true]);
}

const HORIZONTAL_OVERFLOW_PX = 'document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth';

/** A page may take a moment to adapt after a resize. After that, it must not scroll sideways. */
async function expectNoHorizontalScroll(page: Page, path: string): Promise<void> {
  // waitForFunction would need eval, which the page's policy forbids.
  const deadline = Date.now() + 5_000;
  while ((await page.evaluate(HORIZONTAL_OVERFLOW_PX)) !== 0 && Date.now() < deadline) await sleep(50);
  expect([path, await page.evaluate(HORIZONTAL_OVERFLOW_PX)]).toEqual([path, 0]);
}

async function getBox(locator: Locator) {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('The element is not visible.');
  return box;
}

async function isOnScreen(locator: Locator): Promise<boolean> {
  const { x, y } = await getBox(locator);
  return x >= 0 && y >= 0;
}
