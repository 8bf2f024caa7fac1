import { text } from 'node:stream/consumers';
import type { BrowserContextOptions, Download, Page } from 'playwright-core';
import type { BrowserTestContext } from './describe-in-browser.js';

/** Opens a page of the dashboard and waits until it has loaded. @throws Error if it shows an error instead */
export async function showPage(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await untilLoaded(page);
  if (await page.getByText(/^(Page not found|Reload page|Try again)$/).count())
    throw new Error(`${path} shows an error: ${await page.textContent('body')}`);
}

/** Waits until the page shows no more loading placeholders. */
export async function untilLoaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('[aria-busy=true], .mantine-Skeleton-root').first().waitFor({ state: 'detached' });
}

type Account = { readonly email: string; readonly password: string };

/** Logs in without the form, for all pages that share this page's cookies. @throws Error if the login fails */
export async function logIn(page: Page, { email, password }: Account): Promise<void> {
  const response = await page.request.post('/auth/login', { data: { email, password } });
  if (!response.ok()) throw new Error(`The login returned ${response.status()}: ${await response.text()}`);
}

/** Opens an empty page whose cookies are those of a logged-in user. */
export async function newPageAs(
  t: BrowserTestContext,
  account: Account,
  options?: BrowserContextOptions,
): Promise<Page> {
  const page = await t.newPage(options);
  await logIn(page, account);
  return page;
}

/** Opens a page of the dashboard as a logged-in user. */
export async function openAs(
  t: BrowserTestContext,
  account: Account,
  path: string,
  options?: BrowserContextOptions,
): Promise<Page> {
  const page = await newPageAs(t, account, options);
  await showPage(page, path);
  return page;
}

/** Fills in and submits the login form. */
export async function logInThroughForm(page: Page, { email, password }: Account): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

/** The text of a downloaded file. The browser runs in another process, which keeps the file. */
export async function readDownload(download: Download): Promise<string> {
  return text(await download.createReadStream());
}
