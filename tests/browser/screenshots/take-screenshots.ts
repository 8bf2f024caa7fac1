import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { logIn, showPage, untilLoaded } from '../show-page.js';
import { templateVars } from './demo-emails.js';
import type { DemoWorkspace } from './fill-demo-workspace.js';

const MAX_BYTES = 250_000;

type ScreenshotContext = {
  readonly browser: Browser;
  readonly url: string;
  /** The inbox of `npm start`. */
  readonly inboxUrl: string;
  readonly owner: { readonly email: string; readonly password: string };
  readonly folder: string;
};

/** Takes a screenshot of each main page. @throws Error if a file is too large for the repository */
export async function takeScreenshots(
  context: ScreenshotContext,
  { emailId, testEmailId, templateId, domainId, webhookId }: DemoWorkspace,
): Promise<void> {
  const light = await openPage(context, 'light');
  const template = `/templates/${templateId}`;
  await showPage(light, template);
  for (const [name, value] of Object.entries(templateVars)) await light.getByLabel(name, { exact: true }).fill(value);
  const pages = {
    overview: '/',
    emails: '/emails',
    email: `/emails/${emailId}`,
    compose: `/emails/new?from=${emailId}`,
    template,
    domain: `/domains/${domainId}`,
    usage: '/usage',
    reference: '/docs/reference/emails',
    inbox: context.inboxUrl,
  };
  for (const [name, path] of Object.entries(pages)) await take(context, light, { name, path });
  await take(context, light, {
    name: 'test-mail',
    path: `/emails/${testEmailId}`,
    // The message is below the delivery history.
    prepare: () => light.frameLocator('iframe').getByText('Track your parcel').scrollIntoViewIfNeeded(),
  });
  await take(context, light, {
    name: 'webhook',
    path: `/webhooks/${webhookId}`,
    async prepare() {
      await light.getByRole('button', { name: 'Details: email.bounced' }).first().click();
      await light
        .getByRole('region', { name: /^Attempt 2/ })
        .getByText('read-only')
        .waitFor();
      await light.getByRole('heading', { name: 'Deliveries' }).evaluate('(heading) => heading.scrollIntoView()');
    },
  });
  await take(context, light, {
    name: 'palette',
    path: '/emails',
    async prepare() {
      await light.keyboard.press('Control+k');
      await light.getByLabel('Page, action or email').fill('template');
    },
  });
  await take(context, await openPage(context, 'dark'), { name: 'overview-dark', path: '/' });
}

async function openPage({ browser, url, owner }: ScreenshotContext, colorScheme: 'light' | 'dark'): Promise<Page> {
  const context = await browser.newContext({
    baseURL: url,
    colorScheme,
    viewport: { width: 1280, height: 800 },
    deviceScaleFactor: 1,
    reducedMotion: 'reduce',
    locale: 'en-US',
    timezoneId: 'UTC',
  });
  const page = await context.newPage();
  await logIn(page, owner);
  return page;
}

async function take(
  { folder }: ScreenshotContext,
  page: Page,
  { name, path, prepare }: { name: string; path: string; prepare?: () => Promise<unknown> },
): Promise<void> {
  await showPage(page, path);
  await page.waitForLoadState('networkidle');
  await untilLoaded(page);
  await page.evaluate('document.activeElement.blur()');
  await prepare?.();
  const file = join(folder, `${name}.png`);
  await page.screenshot({ path: file, animations: 'disabled', caret: 'hide' });
  const { size } = statSync(file);
  process.stdout.write(`${name}.png ${Math.round(size / 1_000)} kB\n`);
  if (size > MAX_BYTES) throw new Error(`${file} has ${size} bytes; the limit is ${MAX_BYTES}`);
}
