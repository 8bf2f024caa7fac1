import type { Page } from 'playwright-core';
import { describeInBrowser, type InBrowser } from './describe-in-browser.js';
import { expectAccessible } from './expect-accessible.js';
import { openPages, type Pages } from './open-pages.js';

/** Pages whose faults do not fail the test. */
async function otherPages(t: InBrowser): Promise<Pages> {
  const browser = (await t.newPage()).context().browser();
  if (browser === null) throw new Error('The page belongs to no browser.');
  return openPages(browser, t.url);
}

/** What the rig finds at a page that does this. */
async function faultsOf(t: InBrowser, act: (page: Page) => Promise<unknown>): Promise<string[]> {
  const pages = await otherPages(t);
  await act(await pages.newPage());
  return (await pages.closePages()).unexpected;
}

describeInBrowser('the rig of the browser tests', (t) => {
  test.each(['http://192.0.2.1/', 'http://example.com/', 'https://[2001:db8::1]/'])(
    'stops a page that reaches out to %s, and says so',
    async (url) => {
      const reachOut = (page: Page) => page.evaluate(`fetch('${url}', { mode: 'no-cors' }).catch(String)`);
      const answers: unknown[] = [];
      const faults = await faultsOf(t, async (page) => answers.push(await reachOut(page)));
      expect(answers).toEqual(['TypeError: Failed to fetch']);
      expect(faults).toContain(`It reached out to ${url}`);
    },
  );

  test('finds a WebSocket to elsewhere', async () => {
    const faults = await faultsOf(t, (page) =>
      page.evaluate(`new Promise((done) => { new WebSocket('ws://example.com/').onerror = done; }).then(() => 0)`),
    );
    expect(faults).toContain('It reached out to ws://example.com/');
  });

  test('finds an exception that nobody catches', async () => {
    const faults = await faultsOf(t, async (page) => {
      const thrown = page.waitForEvent('pageerror');
      await page.evaluate(`void setTimeout(() => { throw new Error('out of paper'); })`);
      await thrown;
    });
    expect(faults).toEqual([expect.stringContaining('out of paper')]);
  });

  test('finds what violates the content security policy', async () => {
    const faults = await faultsOf(t, async (page) => {
      await page.goto('/docs');
      await page.evaluate(`document.body.setAttribute('style', 'color: red')`);
    });
    expect(faults).toEqual([expect.stringContaining('Content Security Policy')]);
  });

  test('finds a page that is not there', async () => {
    const faults = await faultsOf(t, (page) => page.goto('/nowhere'));
    expect(faults).toEqual([`GET ${t.url}/nowhere answered 404`]);
  });

  test('leaves it to a page what it makes of a refused call', async () => {
    const page = await t.newPage({ bypassCSP: true });
    await page.goto('/docs');
    expect(await page.evaluate(`fetch('/auth/session').then(({ status }) => status)`)).toBe(401);
  });

  test('lets a test expect a fault, which then has to come', async () => {
    t.expectFault(/nowhere answered 404/);
    await (await t.newPage()).goto('/nowhere');
    const pages = await otherPages(t);
    pages.expectFault(/never/);
    expect(await pages.closePages()).toEqual({ unexpected: [], missing: [/never/] });
  });

  test('tells where a page keeps people out', async () => {
    const page = await t.newPage();
    await page.setContent('<main><h1>Form</h1><input id="name"></main>');
    await expect(expectAccessible(page)).rejects.toThrow(/label \(critical\).*\n.*\n {2}at #name\n/);
  });

  test('keeps the cookies of one page from another', async () => {
    const { email, password } = await t.newTenant();
    const page = await t.newPage();
    const answer = await page.request.post('/auth/login', { data: { email, password } });
    expect(answer.status()).toBe(200);
    expect((await page.request.get('/auth/session')).status()).toBe(200);
    expect((await (await t.newPage()).request.get('/auth/session')).status()).toBe(401);
    t.passTime(365 * 86_400_000);
    expect((await page.request.get('/auth/session')).status()).toBe(401);
  });
});
