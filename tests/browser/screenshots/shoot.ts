import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { logIn } from '../log-in.js';
import { showPage, untilWhole } from '../show-page.js';
import type { Shop } from './fill-shop.js';
import { samples } from './letters.js';

const MOST_BYTES = 250_000;

type Studio = {
  readonly browser: Browser;
  readonly url: string;
  readonly owner: { readonly email: string; readonly password: string };
  readonly folder: string;
};

/** Takes a picture of each of the main pages. @throws Error for one that is too large to be kept */
export async function shoot(studio: Studio, { emailId, templateId, domainId }: Shop): Promise<void> {
  const light = await openPage(studio, 'light');
  const template = `/templates/${templateId}`;
  await showPage(light, template);
  for (const [name, value] of Object.entries(samples)) await light.getByLabel(name, { exact: true }).fill(value);
  const pages = {
    overview: '/',
    emails: '/emails',
    email: `/emails/${emailId}`,
    template,
    domain: `/domains/${domainId}`,
    usage: '/usage',
  };
  for (const [name, path] of Object.entries(pages)) await take(studio, light, { name, path });
  await take(studio, await openPage(studio, 'dark'), { name: 'overview-dark', path: '/' });
}

async function openPage({ browser, url, owner }: Studio, colorScheme: 'light' | 'dark'): Promise<Page> {
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

async function take({ folder }: Studio, page: Page, { name, path }: { name: string; path: string }): Promise<void> {
  await showPage(page, path);
  await page.waitForLoadState('networkidle');
  await untilWhole(page);
  await page.evaluate('document.activeElement.blur()');
  const file = join(folder, `${name}.png`);
  await page.screenshot({ path: file, animations: 'disabled', caret: 'hide' });
  const { size } = statSync(file);
  process.stdout.write(`${name}.png ${Math.round(size / 1_000)} KB\n`);
  if (size > MOST_BYTES) throw new Error(`${file} has ${size} bytes, the most is ${MOST_BYTES}`);
}
