import type { BrowserContextOptions, Page } from 'playwright-core';
import type { InBrowser } from './describe-in-browser.js';
import { showPage } from './show-page.js';

type Account = { readonly email: string; readonly password: string };

/** Gives a page, and all that share its cookies, a session without typing. @throws Error when it is refused */
export async function logIn(page: Page, { email, password }: Account): Promise<void> {
  const answer = await page.request.post('/auth/login', { data: { email, password } });
  if (!answer.ok()) throw new Error(`The log-in was answered with ${answer.status()}: ${await answer.text()}`);
}

/** A page of the dashboard as somebody who is logged in sees it. */
export async function openAs(
  t: InBrowser,
  account: Account,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const page = await t.newPage(options);
  await logIn(page, account);
  await showPage(page, path);
  return page;
}

/** Types what a person types at the door. */
export async function typeLogIn(page: Page, { email, password }: Account): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}
