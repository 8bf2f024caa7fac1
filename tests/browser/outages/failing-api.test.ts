import type { Page } from 'playwright-core';
import { describeInBrowser } from '../describe-in-browser.js';
import { type FilledWorkspace, fillWorkspace } from '../fill-workspace.js';
import { logIn, openAs } from '../show-page.js';

type Tenant = { readonly email: string; readonly password: string };

const PLACEHOLDERS = '[aria-busy=true], .mantine-Skeleton-root';

/** How many pages load at once, because each waits for its retries. */
const TABS = 5;

/** Whether a request is for what a page shows, rather than for the session. */
function isData({ pathname }: URL): boolean {
  return /^\/(api\/v1|billing)\//.test(pathname) || pathname === '/auth/sessions';
}

function failureWith(status: number) {
  const problem = { type: 'about:blank', title: 'Broken', status, detail: 'It broke.', code: 'internal' };
  const body = JSON.stringify({ ...problem, request_id: 'the-request' });
  return { status, contentType: 'application/problem+json', body };
}

/** Expects the error and a way to try again, and nothing that looks as if it were still loading. */
async function expectError(page: Page): Promise<void> {
  await page.getByRole('alert').first().waitFor();
  await page.getByRole('button', { name: 'Try again' }).first().waitFor();
  await page.locator(PLACEHOLDERS).first().waitFor({ state: 'detached', timeout: 15_000 });
}

describeInBrowser('when the API fails, a page', (t) => {
  let tenant: Tenant;
  let filled: FilledWorkspace;

  beforeAll(async () => {
    const owner = await t.newTenant();
    [tenant, filled] = [owner, await fillWorkspace(t, owner)];
  }, 120_000);

  const paths = () => [
    '/',
    '/emails',
    `/emails/${filled.emailId}`,
    `/emails/new?from=${filled.emailId}`,
    '/templates',
    `/templates/${filled.templateId}`,
    `/templates/${filled.templateId}/versions`,
    '/domains',
    `/domains/${filled.domainId}`,
    '/deliverability',
    '/api-keys',
    '/usage',
    '/audit-log',
    '/settings?tab=members',
    '/settings?tab=privacy',
    '/settings?tab=account',
  ];

  test('shows the error instead of placeholders, and retries on request', async () => {
    t.expectFault(/returned 500$/);
    t.expectFault(/returned 503$/);
    const first = await t.newPage();
    await logIn(first, tenant);
    const context = first.context();
    let failures = 0;
    await context.route(isData, (route) => {
      failures += 1;
      return route.fulfill(failureWith(failures % 2 === 0 ? 500 : 503));
    });
    for (let begin = 0; begin < paths().length; begin += TABS)
      await Promise.all(
        paths()
          .slice(begin, begin + TABS)
          .map(async (path) => {
            const page = await context.newPage();
            await page.goto(path);
            await expectError(page).catch((error) => {
              throw new Error(`${path}: ${error}`);
            });
            await page.close();
          }),
      );
    await first.goto(`/emails/${filled.emailId}`);
    await first.getByText('Request ID: the-request').waitFor();
    await context.unroute(isData);
    await first.getByRole('button', { name: 'Try again' }).click();
    await first.getByRole('region', { name: 'Timeline' }).waitFor();
  });

  test('shows the error when the server cannot be reached', async () => {
    t.expectFault(/ERR_INTERNET_DISCONNECTED/);
    const page = await openAs(t, tenant, '/emails');
    await page.getByRole('link', { name: 'Your order 1001' }).waitFor();
    await page.context().setOffline(true);
    await page.getByLabel('Status').selectOption('Bounced');
    await expectError(page);
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'Your code' }).first().waitFor();
    await page.getByRole('link', { name: 'Your order 1001' }).waitFor({ state: 'detached' });
  });
});
