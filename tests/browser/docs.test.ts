import { until } from '@posthorn/testing';
import type { Page, Response } from 'playwright-core';
import { describeInBrowser } from './describe-in-browser.js';
import { expectAccessible } from './expect-accessible.js';
import { openAs } from './show-page.js';

/** Of a page with its styles, scripts and the index of the search. */
const MAX_PAGE_BYTES = 375_000;
const PHONE = { width: 360, height: 740 };

const NAMES = [
  'emails',
  'events',
  'deliverability',
  'webhooks',
  'audit-log',
  'templates',
  'domains',
  'api-keys',
  'workspace',
  'members',
  'privacy',
  'account',
  'usage',
  'service',
];
const GUIDES = ['resend', 'postmark', 'ses'].map((service) => `/docs/guides/coming-from-${service}`);
const PATHS = ['/docs', ...GUIDES, ...NAMES.map((name) => `/docs/reference/${name}`)];

const STORED = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])';

describeInBrowser('the docs', (t) => {
  const operation = (page: Page, id: string) => page.locator(`section#${id}`);

  /** Opens the form of an operation. */
  async function openForm(page: Page, id: string) {
    const form = operation(page, id).locator('.try');
    await form.locator('summary').click();
    return form;
  }

  async function showDetails(page: Page): Promise<void> {
    await page.evaluate(`for (const each of document.querySelectorAll('details')) each.open = true`);
  }

  test.each(PATHS)('%s is small, accessible in light and dark mode, and fits a phone', async (path) => {
    const page = await t.newPage();
    const responses: Response[] = [];
    page.on('response', (response) => responses.push(response));
    await page.goto(path);
    await page.getByRole('searchbox').fill('idempotency');
    await page
      .getByRole('status')
      .filter({ hasText: /results?$/ })
      .waitFor();
    const bodies = await Promise.all(responses.map((response) => response.body()));
    expect(bodies.length).toBeGreaterThan(5);
    expect(Buffer.concat(bodies).length).toBeLessThan(MAX_PAGE_BYTES);

    await page.getByRole('searchbox').fill('');
    await showDetails(page);
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page);

    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(PHONE);
    await page.reload();
    await page.locator('nav details:not([open])').waitFor();
    await showDetails(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    await expectAccessible(page);
  });

  test('lets keyboard users skip to the text', async () => {
    const page = await t.newPage();
    await page.goto('/docs');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(({ hash }) => hash === '#main');
  });

  test('uses the color scheme that was chosen in the dashboard', async () => {
    const page = await t.newPage({ colorScheme: 'light' });
    await page.goto('/docs');
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await background();
    await page.evaluate(`localStorage.setItem('mantine-color-scheme-value', 'dark')`);
    await page.reload();
    expect(await background()).not.toBe(light);
  });

  test('shows every sample in the chosen language, even on the next page', async () => {
    const page = await t.newPage();
    await page.goto('/docs');
    const shown = page.locator('#start pre:visible').first();
    expect(await shown.textContent()).toMatch(/^curl /);
    await page.locator('#start').getByText('Python', { exact: true }).click();
    expect(await shown.textContent()).toMatch(/^import os/);
    await page.goto('/docs/reference/emails');
    expect(await operation(page, 'listEmails').locator('pre:visible').first().textContent()).toMatch(/^import os/);
    await operation(page, 'getEmail').getByRole('radio', { name: 'Python' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await operation(page, 'sendEmail').locator('pre:visible').first().textContent()).toMatch(/^<\?php/);
  });

  test('copies a sample', async () => {
    const page = await t.newPage({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto('/docs/reference/emails');
    const sample = operation(page, 'sendEmail').locator('.code:visible').first();
    await sample.getByRole('button', { name: 'Copy' }).click();
    await sample.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await sample.locator('code').textContent());
  });

  test('copies a sample even if scripts cannot use the clipboard, as over plain HTTP', async () => {
    const page = await t.newPage({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto('/docs');
    await page.evaluate(`navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))`);
    const sample = page.locator('#start .code:visible').first();
    await sample.getByRole('button', { name: 'Copy' }).click();
    await sample.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = (await page.evaluate('navigator.clipboard.readText()')) as string;
    expect(copied.trim()).toBe((await sample.locator('code').textContent())?.trim());
  });

  test('finds calls, sections and errors', async () => {
    const page = await t.newPage();
    await page.goto('/docs/reference/usage');
    const results = page.locator('.search li a');
    await page.keyboard.press('/');
    await page.keyboard.type('content_id');
    await results.filter({ hasText: 'POST /api/v1/emails/batch' }).waitFor();
    await page.getByRole('searchbox').fill('rate_limited');
    await results.filter({ hasText: 'rate_limited' }).first().waitFor();
    await expectAccessible(page);
    await page.getByRole('searchbox').fill('xylophone');
    await page.getByText('Nothing found').waitFor();
    expect(await results.count()).toBe(0);
    await page.getByRole('searchbox').fill('cancel');
    await results.filter({ hasText: 'Cancel a scheduled' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(({ pathname, hash }) => pathname === '/docs/reference/emails' && hash === '#cancelEmail');
  });

  describe('the form of a call', () => {
    test('sends the request with the API key that the reader entered, and does not store the key', async () => {
      const { key } = await t.newTenant();
      const page = await t.newPage();
      await page.goto('/docs/reference/emails');
      const form = await openForm(page, 'checkEmail');
      await form.getByLabel('API key').fill(key);
      await form.getByRole('button', { name: 'Send request' }).click();
      await form.getByText(/^200 OK in \d+ ms$/).waitFor();
      expect(await form.locator('.answer').textContent()).toMatch(/X-Request-Id: .+"would_send": true/s);
      await expectAccessible(page);
      expect(await (await openForm(page, 'listEmails')).getByLabel('API key').inputValue()).toBe(key);
      expect(await page.evaluate(STORED)).not.toContain(key);
      await page.reload();
      expect(await (await openForm(page, 'checkEmail')).getByLabel('API key').inputValue()).toBe('');
    });

    test('shows the refusal of a wrong key, even if the reader is logged in to the dashboard', async () => {
      const page = await openAs(t, await t.newTenant(), '/');
      await page.goto('/docs/reference/emails');
      const form = await openForm(page, 'listEmails');
      for (const wrong of ['', 'ph_wrong']) {
        await form.getByLabel('API key').fill(wrong);
        await form.getByRole('button', { name: 'Send request' }).click();
        await form.getByText(/^401 Unauthorized/).waitFor();
        expect(await form.locator('.answer').textContent()).toContain('"code": "unauthenticated"');
      }
    });

    test('asks before it sends email', async () => {
      const { key } = await t.newTenant();
      const page = await t.newPage();
      await page.goto('/docs/reference/emails');
      const form = await openForm(page, 'sendEmail');
      await form.getByLabel('API key').fill(key);
      const body = { to: ['docs@example.net'], subject: 'From the docs', text: 'Hello' };
      await form.getByLabel('Body').fill(JSON.stringify(body));
      const dialog = page.getByRole('dialog');
      await form.getByRole('button', { name: 'Send request' }).click();
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await form.locator('.answer').textContent()).toBe('');
      await form.getByRole('button', { name: 'Send request' }).click();
      await dialog.getByRole('button', { name: 'Send request' }).click();
      await form.getByText(/^202 Accepted/).waitFor();
      await until('the email arrives', async () =>
        t.sink.messages.some(({ envelope }) => envelope.to.includes(body.to[0] ?? '')),
      );
    });

    test('fills parameters into the path, the query string and the headers', async () => {
      const { key } = await t.newTenant();
      const page = await t.newPage();
      await page.goto('/docs/reference/emails');
      const send = await openForm(page, 'sendEmail');
      await send.getByLabel('API key').fill(key);
      await send.getByLabel('Idempotency-Key').fill('from-the-docs');
      for (const replayed of [false, true]) {
        await send.getByRole('button', { name: 'Send request' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Send request' }).click();
        await send.getByText(/^202 Accepted/).waitFor();
        if (replayed) await send.getByText('Idempotent-Replayed: true').waitFor();
        else await send.getByText('X-Request-Id').waitFor();
      }
      const { id } = JSON.parse((await send.getByLabel('Response body').textContent()) ?? '');
      const read = await openForm(page, 'getEmail');
      await read.getByLabel('id').fill(id);
      await read.getByRole('button', { name: 'Send request' }).click();
      await read.getByText(/^200 OK/).waitFor();
      const list = await openForm(page, 'listEmails');
      await list.getByLabel('limit').fill('ten');
      await list.getByRole('button', { name: 'Send request' }).click();
      await list.getByText(/^422 /).waitFor();
      expect(await list.locator('.answer').textContent()).toContain('"field": "limit"');
    });

    test('shows where the JSON of a body is wrong', async () => {
      const { key } = await t.newTenant();
      const page = await t.newPage();
      await page.goto('/docs/reference/templates');
      const form = await openForm(page, 'createTemplate');
      await form.getByLabel('API key').fill(key);
      await form.getByLabel('Body').fill('{"name": "x",}');
      await form.getByRole('button', { name: 'Send request' }).click();
      await form.getByText(/^400 /).waitFor();
      expect(await form.locator('.answer').textContent()).toContain('"code": "malformed_json"');
    });

    test('uses the session of the dashboard for calls that need one', async () => {
      const page = await openAs(t, await t.newTenant(), '/');
      await page.goto('/docs/reference/usage');
      const form = await openForm(page, 'getUsage');
      await form.getByRole('button', { name: 'Send request' }).click();
      await form.getByText(/^200 OK/).waitFor();
      expect(await form.locator('.answer').textContent()).toContain('"object": "usage"');
    });

    test('does not exist for calls with passwords or mailed tokens', async () => {
      const page = await t.newPage();
      await page.goto('/docs/reference/account');
      expect(await operation(page, 'getSession').locator('.try').count()).toBe(1);
      for (const id of ['logIn', 'signUp', 'resetPassword', 'acceptInvitation'])
        expect([id, await operation(page, id).locator('.try').count()]).toEqual([id, 0]);
    });

    test('says when the service cannot be reached', async () => {
      const page = await t.newPage();
      t.expectFault(/healthz failed/);
      t.expectFault(/ERR_CONNECTION_REFUSED/);
      await page.goto('/docs/reference/service');
      await page.route('**/healthz', (route) => route.abort('connectionrefused'));
      const form = await openForm(page, 'getLiveness');
      await form.getByRole('button', { name: 'Send request' }).click();
      await form.getByText(/^The request failed: /).waitFor();
    });
  });

  test('shows everything but the search and the forms without JavaScript', async () => {
    const page = await t.newPage({ javaScriptEnabled: false });
    await page.goto('/docs/reference/emails');
    const sample = operation(page, 'sendEmail').locator('pre:visible').first();
    expect(await sample.textContent()).toMatch(/^curl /);
    await operation(page, 'sendEmail').getByText('Go', { exact: true }).click();
    expect(await sample.textContent()).toMatch(/^package main/);
    expect(await page.locator('.search:visible, .try:visible, .copy').count()).toBe(0);
    await operation(page, 'sendEmail').getByText('Errors').click();
    await page.locator('#sendEmail a[href="/docs#rate_limited"]').waitFor();
  });
});
