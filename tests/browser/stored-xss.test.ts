import type { Page } from 'playwright-core';
import { describeInBrowser } from './describe-in-browser.js';
import { logIn, typeLogIn } from './log-in.js';
import { mailedLink } from './mailed-link.js';
import { isStopped } from './page-faults.js';
import { ELSEWHERE, MARK, payloads } from './payloads.js';
import { showPage, untilWhole } from './show-page.js';
import { NASTY_ADDRESS, nastyName, type Stored, type StoredEmail, storePayloads } from './store-payloads.js';
import { until } from './until.js';

/**
 * What Chromium says of a frame with foreign HTML, which inherits the page's policy. What violates it in the
 * page itself is told by the page.
 */
const BLOCKED_IN_FRAME =
  /^Its console says: (Blocked (script execution in|autofocusing|opening) |Refused to execute the redirect|.* violates the following Content Security Policy directive)/;

describeInBrowser('text that would be code, if a page took it for that', (t) => {
  let tenant: Awaited<ReturnType<typeof t.newTenant>>;
  let stored: Stored;
  const wrongs: string[] = [];

  beforeAll(async () => {
    tenant = await t.newTenant();
    stored = await storePayloads(t, tenant);
  }, 120_000);

  afterEach(() => {
    expect(wrongs.splice(0)).toEqual([]);
  });

  /** A page that fails its test when something runs in it, leaves it or violates its policy. */
  async function watchedPage(): Promise<Page> {
    const page = await t.newPage();
    const context = page.context();
    await context.addInitScript(`self === top && addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      console.error('Violation in the page itself: ' + violatedDirective + ' by ' + blockedURI))`);
    context.on('console', (message) => {
      if (message.text() === MARK) wrongs.push(`A payload ran at ${page.url()}`);
    });
    context.on('dialog', (dialog) => {
      wrongs.push(`A dialog was opened: ${dialog.message()}`);
      return dialog.dismiss();
    });
    context.on('page', (opened) => wrongs.push(`A window was opened: ${opened.url()}`));
    await logIn(page, tenant);
    return page;
  }

  async function expectTexts(page: Page, path: string, texts: readonly string[]): Promise<void> {
    const shown = await page.getByRole('main').textContent();
    for (const text of texts) expect([path, shown]).toEqual([path, expect.stringContaining(text)]);
    expect(new URL(page.url()).origin).toBe(t.url);
  }

  test('is text in lists, menus and settings', async () => {
    const page = await watchedPage();
    const subjects = stored.emails.map(({ payloads: group }) => group.join(' '));
    const expected: Record<string, readonly string[]> = {
      '/': subjects,
      '/emails': subjects,
      '/templates': [],
      '/api-keys': payloads,
      '/settings': [],
      '/settings?tab=members': [NASTY_ADDRESS],
    };
    for (const [path, texts] of Object.entries(expected)) {
      await showPage(page, path);
      await expectTexts(page, path, texts);
    }
    await page.getByRole('banner').getByRole('button', { name: nastyName(), exact: true }).click();
    await page.getByRole('menuitem', { name: nastyName(), exact: true }).waitFor();
  });

  test('is text in the address', async () => {
    const page = await watchedPage();
    for (const payload of payloads.filter((_, index) => index % 9 === 0)) {
      const value = encodeURIComponent(payload);
      await page.goto(`/emails?to=${value}&tag=${value}&status=${value}&created_after=${value}&after=${value}`);
      await untilWhole(page);
      await showPage(page, `/settings?tab=${value}`);
    }
  });

  test('leads nowhere else after the log-in', async () => {
    for (const next of ['//x.example/', '/\\x.example/', `javascript:console.log('${MARK}')`, `${ELSEWHERE}/`]) {
      const page = await t.newPage();
      await showPage(page, `/login?next=${encodeURIComponent(next)}`);
      await typeLogIn(page, tenant);
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
      expect(page.url()).toBe(`${t.url}/`);
    }
  });

  test('is text to who is invited', async () => {
    const page = await t.newPage();
    await page.goto(await mailedLink(t.sink, /accept-invitation/));
    await page.getByText(nastyName(), { exact: true }).waitFor();
  });

  describe('in an email', () => {
    async function open(page: Page, { id }: StoredEmail, tab: string): Promise<void> {
      await showPage(page, `/emails/${id}?tab=${tab}`);
    }

    test('is text, whatever of it is shown', async () => {
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
        await showPage(page, `/emails/${stored.filledInId}?tab=${tab}`);
      await showPage(page, `/emails/${stored.filledInId}?tab=variables`);
      await expectTexts(page, 'the variables', [payloads.join(' ')]);
    });

    test('runs, loads and leads to nothing as HTML', async () => {
      t.expectFault(BLOCKED_IN_FRAME);
      const page = await watchedPage();
      const wanted = requestsOf(page);
      for (const email of stored.emails) {
        await open(page, email, 'html');
        await untilFrameIsLoaded(page);
      }
      expect(await page.locator('iframe').getAttribute('sandbox')).toBe('');
      expect(wanted()).toEqual([]);
    });

    test('loads pictures and nothing else, once the reader wants them', async () => {
      t.expectFault(BLOCKED_IN_FRAME);
      t.expectFault(/^It reached out to https:\/\/x\.example\/(pixel\.png|x\.gif)$/);
      t.expectFault(/ERR_NAME_NOT_RESOLVED/);
      const page = await watchedPage();
      const wanted = requestsOf(page);
      for (const email of stored.emails) {
        await open(page, email, 'html');
        await page.getByLabel('Load remote images').check();
        await untilFrameIsLoaded(page);
      }
      const pictures = [`image ${ELSEWHERE}/pixel.png`, `image ${ELSEWHERE}/x.gif`];
      await until('the pictures', async () => wanted().length >= pictures.length);
      expect(wanted()).toEqual(pictures);
    });
  });

  test('is text in the editor of templates, and nothing in its preview', async () => {
    t.expectFault(BLOCKED_IN_FRAME);
    const page = await watchedPage();
    const wanted = requestsOf(page);
    for (const id of stored.templateIds) {
      await showPage(page, `/templates/${id}`);
      await untilFrameIsLoaded(page);
      expect(await page.locator('iframe').getAttribute('sandbox')).toBe('');
      await showPage(page, `/templates/${id}/versions`);
      await page.getByRole('region', { name: 'Changes to HTML' }).waitFor();
      await page.getByRole('tab', { name: 'Preview' }).click();
      await untilFrameIsLoaded(page);
    }
    expect(wanted()).toEqual([]);
  });
});

/** @returns what was asked of nobody's host so far, each once */
function requestsOf(page: Page): () => string[] {
  const requests = new Set<string>();
  page.on('requestfailed', (request) => {
    const isElsewhere = request.url().startsWith(ELSEWHERE);
    if (isElsewhere && !isStopped(request)) requests.add(`${request.resourceType()} ${request.url()}`);
  });
  return () => [...requests].sort();
}

/** Its own resources have come, or were refused. */
async function untilFrameIsLoaded(page: Page): Promise<void> {
  const frame = await (await page.locator('iframe').elementHandle())?.contentFrame();
  if (!frame) throw new Error('There is no frame.');
  await frame.locator('body').first().waitFor({ state: 'attached' });
  await frame.waitForLoadState('load');
}
