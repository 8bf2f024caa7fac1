import { until } from '@posthorn/testing';
import type { Page } from 'playwright-core';
import { openReceiverServer, type ReceiverServer } from '../../apps/worker/test/webhooks/open-receiver-server.js';
import { isBlockedByPolicy } from './collect-page-faults.js';
import { describeInBrowser } from './describe-in-browser.js';
import { mailedLink } from './mailed-link.js';
import { logIn, logInThroughForm, showPage, untilLoaded } from './show-page.js';
import { type StoredEmail, type StoredPayloads, storeXssPayloads, XSS_ADDRESS, xssName } from './store-xss-payloads.js';
import { FOREIGN_ORIGIN, RAN_MARKER, xssPayloads } from './xss-payloads.js';

/**
 * What Chromium logs about frames with foreign HTML, which inherit the policy of the page. The page itself reports its
 * own violations.
 */
const BLOCKED_IN_FRAME =
  /^The console says: (Blocked (script execution in|autofocusing|opening) |Refused to execute the redirect|.* violates the following Content Security Policy directive)/;

describeInBrowser('text that could be mistaken for code', (t) => {
  let tenant: Awaited<ReturnType<typeof t.newTenant>>;
  let stored: StoredPayloads;
  let receiver: ReceiverServer;
  const problems: string[] = [];

  beforeAll(async () => {
    tenant = await t.newTenant();
    receiver = await openReceiverServer((_, response) => {
      response.statusCode = 500;
      response.setHeader('Content-Type', 'text/html');
      response.end(xssPayloads.join('\n'));
    });
    stored = await storeXssPayloads(t, tenant, receiver.url);
  }, 120_000);

  afterAll(() => receiver.close());

  afterEach(() => {
    expect(problems.splice(0)).toEqual([]);
  });

  /** A page that fails its test if a payload runs in it, navigates away from it or violates its policy. */
  async function watchedPage(): Promise<Page> {
    const page = await t.newPage({});
    const context = page.context();
    await context.addInitScript(`self === top && addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      console.error('Violation in the page itself: ' + violatedDirective + ' by ' + blockedURI))`);
    context.on('console', (message) => {
      if (message.text() === RAN_MARKER) problems.push(`A payload ran at ${page.url()}`);
    });
    context.on('dialog', (dialog) => {
      problems.push(`A dialog opened: ${dialog.message()}`);
      return dialog.dismiss();
    });
    context.on('page', (opened) => problems.push(`A window opened: ${opened.url()}`));
    await logIn(page, tenant);
    return page;
  }

  async function expectTexts(page: Page, path: string, texts: readonly string[]): Promise<void> {
    const shown = await page.getByRole('main').textContent();
    for (const text of texts) expect([path, shown]).toEqual([path, expect.stringContaining(text)]);
    expect(new URL(page.url()).origin).toBe(t.url);
  }

  test('is shown as text in lists, menus and settings', async () => {
    const page = await watchedPage();
    const subjects = stored.emails.map(({ payloads: group }) => group.join(' '));
    const expected: Record<string, readonly string[]> = {
      '/': subjects,
      '/emails': subjects,
      '/templates': [],
      '/api-keys': xssPayloads,
      '/webhooks': stored.webhooks.flatMap(({ texts: [url = '', description = ''] }) => [url, description]),
      '/suppressions': [XSS_ADDRESS],
      '/audit-log': [XSS_ADDRESS],
      '/settings': [],
      '/settings?tab=members': [XSS_ADDRESS],
    };
    for (const [path, texts] of Object.entries(expected)) {
      await showPage(page, path);
      await expectTexts(page, path, texts);
    }
    await page.getByRole('banner').getByRole('button', { name: xssName(), exact: true }).click();
    await page.getByRole('menuitem', { name: xssName(), exact: true }).waitFor();
  });

  test('is treated as text in the query string', async () => {
    const page = await watchedPage();
    for (const payload of xssPayloads.filter((_, index) => index % 9 === 0)) {
      const value = encodeURIComponent(payload);
      await page.goto(`/emails?to=${value}&tag=${value}&status=${value}&created_after=${value}&after=${value}`);
      await untilLoaded(page);
      await page.goto(`/suppressions?address=${value}&topic=${value}&reason=${value}&after=${value}&dialog=${value}`);
      await untilLoaded(page);
      await showPage(page, `/settings?tab=${value}`);
    }
  });

  test('does not redirect to another site after login', async () => {
    for (const next of [
      '//x.example/',
      '/\\x.example/',
      `javascript:console.log('${RAN_MARKER}')`,
      `${FOREIGN_ORIGIN}/`,
    ]) {
      const page = await t.newPage();
      await showPage(page, `/login?next=${encodeURIComponent(next)}`);
      await logInThroughForm(page, tenant);
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
      expect(page.url()).toBe(`${t.url}/`);
    }
  });

  test('is shown as text on the invitation page', async () => {
    const page = await t.newPage();
    await page.goto(await mailedLink(t.sink, /accept-invitation/));
    await page.getByText(xssName(), { exact: true }).waitFor();
  });

  describe('in an email', () => {
    async function open(page: Page, { id }: StoredEmail, tab: string): Promise<void> {
      await showPage(page, `/emails/${id}?tab=${tab}`);
    }

    test('is shown as text in every tab except HTML', async () => {
      const page = await watchedPage();
      for (const email of stored.emails) {
        await open(page, email, 'source');
        await page.getByRole('button', { name: /^Attempt 1/ }).click();
        await page.getByText(/^C: MAIL FROM/m).waitFor();
        await expectTexts(page, 'the source', [...email.payloads, `550 5.7.1 ${email.payloads.join(' ')}`]);
        await open(page, email, 'text');
        await expectTexts(page, 'the text', [email.payloads.join('\n')]);
      }
      for (const tab of ['variables', 'text', 'source', 'html'])
        await showPage(page, `/emails/${stored.fromTemplateId}?tab=${tab}`);
      await showPage(page, `/emails/${stored.fromTemplateId}?tab=variables`);
      await expectTexts(page, 'the variables', [xssPayloads.join(' ')]);
    });

    test('does not run scripts, load resources or navigate when shown as HTML', async () => {
      t.expectFault(BLOCKED_IN_FRAME);
      const page = await watchedPage();
      const requested = listRequests(page);
      for (const email of stored.emails) {
        await open(page, email, 'html');
        await untilFrameIsLoaded(page);
      }
      expect(await page.locator('iframe').getAttribute('sandbox')).toBe('');
      expect(requested()).toEqual([]);
    });

    test('loads only images, and only once the reader allows it', async () => {
      t.expectFault(BLOCKED_IN_FRAME);
      t.expectFault(/^The page contacted https:\/\/x\.example\/(pixel\.png|x\.gif)$/);
      t.expectFault(/ERR_NAME_NOT_RESOLVED/);
      const page = await watchedPage();
      const requested = listRequests(page);
      for (const email of stored.emails) {
        await open(page, email, 'html');
        await untilFrameIsLoaded(page);
        const reloaded = page.waitForEvent('framenavigated', (frame) => frame.parentFrame() !== null);
        await page.getByLabel('Load remote images').check();
        await (await reloaded).waitForLoadState('load');
      }
      const images = [`image ${FOREIGN_ORIGIN}/pixel.png`, `image ${FOREIGN_ORIGIN}/x.gif`];
      await until('the images are requested', async () => requested().length >= images.length);
      expect(requested()).toEqual(images);
    });
  });

  test('is shown as text on the page of a webhook, in its settings, events and responses', async () => {
    const page = await watchedPage();
    for (const { id, texts } of stored.webhooks) {
      await showPage(page, `/webhooks/${id}`);
      await expectTexts(page, 'a webhook', texts);
    }
    await showPage(page, `/webhooks/${stored.sentWebhookId}`);
    for (const [index, { payloads: group }] of stored.emails.toReversed().entries()) {
      await page.getByRole('button', { name: 'Details: email.bounced' }).nth(index).click();
      await page
        .getByRole('region', { name: /^Attempt/ })
        .getByText('Response: status 500')
        .waitFor();
      const reason = JSON.stringify(group.join(' ')).slice(1, -1);
      await expectTexts(page, 'a delivery', [xssPayloads.join('\n'), reason]);
    }
  });

  test('is shown as text in the template editor, and does nothing in its preview', async () => {
    t.expectFault(BLOCKED_IN_FRAME);
    const page = await watchedPage();
    const requested = listRequests(page);
    for (const id of stored.templateIds) {
      await showPage(page, `/templates/${id}`);
      await untilFrameIsLoaded(page);
      expect(await page.locator('iframe').getAttribute('sandbox')).toBe('');
      await showPage(page, `/templates/${id}/versions`);
      await page.getByRole('region', { name: 'Changes to HTML' }).waitFor();
      await page.getByRole('tab', { name: 'Preview' }).click();
      await untilFrameIsLoaded(page);
    }
    expect(requested()).toEqual([]);
  });
});

/** @returns a function that lists the distinct requests to the foreign host so far */
function listRequests(page: Page): () => string[] {
  const requests = new Set<string>();
  page.on('requestfailed', (request) => {
    const isForeign = request.url().startsWith(FOREIGN_ORIGIN);
    if (isForeign && !isBlockedByPolicy(request)) requests.add(`${request.resourceType()} ${request.url()}`);
  });
  return () => [...requests].sort();
}

/** Waits until the frame's resources have loaded or failed. */
async function untilFrameIsLoaded(page: Page): Promise<void> {
  const frame = await (await page.locator('iframe').elementHandle())?.contentFrame();
  if (!frame) throw new Error('The page has no frame.');
  await frame.locator('body').first().waitFor({ state: 'attached' });
  await frame.waitForLoadState('load');
}
