import type { Page } from 'playwright-core';
import { type BrowserTestContext, describeInBrowser } from './describe-in-browser.js';
import { expectAccessible } from './expect-accessible.js';
import { openPages, type Pages } from './open-pages.js';

/** Opens pages whose faults do not fail the test. */
async function otherPages(t: BrowserTestContext): Promise<Pages> {
  const browser = (await t.newPage()).context().browser();
  if (browser === null) throw new Error('The page has no browser.');
  return openPages(browser, t.url);
}

/** @returns the faults of a page in which `act` runs */
async function listFaults(t: BrowserTestContext, act: (page: Page) => Promise<unknown>): Promise<string[]> {
  const pages = await otherPages(t);
  await act(await pages.newPage({}));
  return (await pages.closePages()).unexpected;
}

describeInBrowser('a browser test', (t) => {
  test.each(['http://192.0.2.1/', 'http://example.com/', 'https://[2001:db8::1]/'])(
    'stops a page from contacting %s, and reports the attempt',
    async (url) => {
      const contact = (page: Page) => page.evaluate(`fetch('${url}', { mode: 'no-cors' }).catch(String)`);
      const responses: unknown[] = [];
      const faults = await listFaults(t, async (page) => responses.push(await contact(page)));
      expect(responses).toEqual(['TypeError: Failed to fetch']);
      expect(faults).toContain(`The page contacted ${url}`);
    },
  );

  test('finds a WebSocket connection to another machine', async () => {
    const faults = await listFaults(t, (page) =>
      page.evaluate(`new Promise((done) => { new WebSocket('ws://example.com/').onerror = done; }).then(() => 0)`),
    );
    expect(faults).toContain('The page contacted ws://example.com/');
  });

  test('finds an uncaught exception', async () => {
    const faults = await listFaults(t, async (page) => {
      const thrown = page.waitForEvent('pageerror');
      await page.evaluate(`void setTimeout(() => { throw new Error('out of paper'); })`);
      await thrown;
    });
    expect(faults).toEqual([expect.stringContaining('out of paper')]);
  });

  test('finds a violation of the content security policy', async () => {
    const faults = await listFaults(t, async (page) => {
      await page.goto('/docs');
      await page.evaluate(`document.body.setAttribute('style', 'color: red')`);
    });
    expect(faults).toEqual([expect.stringContaining('Content Security Policy')]);
  });

  test('finds a missing page', async () => {
    const faults = await listFaults(t, (page) => page.goto('/nowhere'));
    expect(faults).toEqual([`GET ${t.url}/nowhere returned 404`]);
  });

  test('does not count a rejected API call as a fault', async () => {
    const page = await t.newPage({ bypassCSP: true });
    await page.goto('/docs');
    expect(await page.evaluate(`fetch('/auth/session').then(({ status }) => status)`)).toBe(401);
  });

  test('can expect a fault, which must then occur', async () => {
    t.expectFault(/nowhere returned 404/);
    await (await t.newPage()).goto('/nowhere');
    const pages = await otherPages(t);
    pages.expectFault(/never/);
    expect(await pages.closePages()).toEqual({ unexpected: [], missing: [/never/] });
  });

  test('reports the inaccessible parts of a page', async () => {
    const page = await t.newPage();
    await page.setContent('<main><h1>Form</h1><input id="name"></main>');
    await expect(expectAccessible(page)).rejects.toThrow(/label \(critical\).*\n.*\n {2}at #name\n/);
  });

  test('does not share cookies between pages', async () => {
    const { userId, email, password } = await t.newTenant();
    const page = await t.newPage();
    const response = await page.request.post('/auth/login', { data: { email, password } });
    expect(response.status()).toBe(200);
    expect((await page.request.get('/auth/session')).status()).toBe(200);
    expect((await (await t.newPage()).request.get('/auth/session')).status()).toBe(401);
    await t.ctx.db('sessions').where({ user_id: userId }).del();
    expect((await page.request.get('/auth/session')).status()).toBe(401);
  });
});
