import type { Page } from 'playwright-core';
import {
  closeTestInbox,
  compose,
  listIds,
  openTestInbox,
  sendMail,
  sendRequest,
  type TestInbox,
} from '../../apps/local/test/inbox-client.js';
import { describeInBrowser } from './describe-in-browser.js';
import { expectAccessible } from './expect-accessible.js';
import { readDownload, showPage } from './show-page.js';
import { FOREIGN_ORIGIN, RAN_MARKER, xssPayloads } from './xss-payloads.js';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const full = compose(
  {
    From: '"Acme Shop" <shop@acme.example>',
    To: 'Ada Lovelace <ada@example.com>',
    Cc: 'grace@example.com',
    'Reply-To': 'help@acme.example',
    Subject: '=?utf-8?q?Gr=C3=BC=C3=9Fe?=',
    Date: 'Sat, 21 Nov 2026 09:00:00 +0000',
    'Content-Type': 'multipart/mixed; boundary=m',
  },
  [
    '--m\nContent-Type: multipart/alternative; boundary=a\n',
    '--a\nContent-Type: text/plain\n\nConfirm at https://acme.example/confirm.',
    '--a\nContent-Type: text/html\n\n<p>Confirm <a href="https://acme.example/confirm">here</a> <img alt="Logo" src="cid:logo"></p>',
    '--a--',
    `--m\nContent-Type: image/png\nContent-ID: <logo>\nContent-Transfer-Encoding: base64\n\n${PIXEL}`,
    '--m\nContent-Type: application/pdf\nContent-Disposition: attachment; filename="the bill.pdf"\n\nPDF',
    '--m--',
  ].join('\n'),
);

const recipients = ['ada@example.com', 'grace@example.com', 'hidden@example.com'];

describeInBrowser('the inbox of npm start', (t) => {
  let inbox: TestInbox;

  beforeEach(async () => {
    inbox = await openTestInbox();
  });

  afterEach(() => closeTestInbox(inbox));

  async function openInbox(path = '/'): Promise<Page> {
    const page = await t.newPage({ baseURL: inbox.url });
    await showPage(page, path);
    return page;
  }

  async function openNewest(): Promise<Page> {
    const [id] = await listIds(inbox);
    return openInbox(`/messages/${id}`);
  }

  /** @returns the value beside `name` under Details */
  function factIn(page: Page, name: string): Promise<string | null> {
    const facts = page.getByRole('region', { name: 'Details' });
    return facts
      .locator('div')
      .filter({ has: page.getByText(name, { exact: true }) })
      .last()
      .locator('dd')
      .textContent();
  }

  test('says how to send an email while it is empty, and shows new mail without a reload', async () => {
    const page = await openInbox();
    await page.getByRole('heading', { name: 'No mail yet' }).waitFor();
    await page.getByText(inbox.smtpUrl).waitFor();
    await expectAccessible(page);

    await sendMail(inbox, { raw: compose({ Subject: 'Older' }) }, { to: recipients, raw: full });
    await page.getByRole('link', { name: 'Grüße' }).waitFor();
    await page.getByText('2 messages, 2 unread').waitFor();
    expect(await page.title()).toBe('(2) Posthorn inbox');
    const rows = await page.getByRole('row').allTextContents();
    expect(rows[1]).toContain('Grüße');
    expect(rows[1]).toContain('Acme Shop <shop@acme.example>');
    expect(rows[1]).toContain('ada@example.com, grace@example.com, hidden@example.com');
    expect(rows[1]).toContain('2 files');
    expect(rows[2]).toContain('Older');
    await expectAccessible(page);
  });

  test('splits a long list into pages', async () => {
    const mails = Array.from({ length: 51 }, (_, index) => ({ raw: compose({ Subject: `No. ${index + 1}.` }) }));
    await sendMail(inbox, ...mails);
    const page = await openInbox();
    await page.getByRole('link', { name: 'No. 51.' }).waitFor();
    expect(await page.getByRole('link', { name: 'No. 1.', exact: true }).count()).toBe(0);

    await page.getByRole('link', { name: 'Older' }).click();
    await page.getByRole('link', { name: 'No. 1.', exact: true }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await page.getByRole('link', { name: 'Newer' }).click();
    await page.getByRole('link', { name: 'No. 51.' }).waitFor();
  });

  test('shows addresses (including Bcc), date, text, headers, hints and source, and marks the message as read', async () => {
    await sendMail(inbox, { from: 'bounce@acme.example', to: recipients, raw: full });
    const list = await openInbox();
    await list.getByRole('link', { name: 'Grüße' }).click();
    await list.getByRole('heading', { level: 1, name: 'Grüße' }).waitFor();
    const facts = {
      From: 'Acme Shop <shop@acme.example>',
      To: 'Ada Lovelace <ada@example.com>',
      Cc: 'grace@example.com',
    };
    for (const [name, value] of Object.entries(facts)) expect([name, await factIn(list, name)]).toEqual([name, value]);
    expect(await factIn(list, 'Bcc')).toBe('hidden@example.com');
    expect(await factIn(list, 'Reply-To')).toBe('help@acme.example');
    expect(await factIn(list, 'Return path')).toBe('bounce@acme.example');
    expect(await factIn(list, 'Date')).toBe('Nov 21, 2026, 9:00:00 AM');
    await list.getByText(/^It is mostly images/).waitFor();
    await expectAccessible(list);

    await list.getByRole('tab', { name: 'Text', exact: true }).click();
    await list.getByText('Confirm at https://acme.example/confirm.').waitFor();
    await list.getByRole('tab', { name: 'HTML source' }).click();
    await list.getByText('<a href="https://acme.example/confirm">here</a>').waitFor();
    await list.getByRole('tab', { name: 'Links' }).click();
    const link = list.getByRole('link', { name: 'https://acme.example/confirm', exact: true });
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    await list.getByRole('tab', { name: 'Headers' }).click();
    await list.getByRole('definition').filter({ hasText: '=?utf-8?q?Gr=C3=BC=C3=9Fe?=' }).waitFor();
    await list.getByRole('tab', { name: 'Message', exact: true }).click();
    await list.getByText('boundary=m').first().waitFor();
    await expectAccessible(list);
    await list.getByRole('link', { name: 'All messages' }).click();
    await list.getByText('1 message, 0 unread').waitFor();
  });

  test('shows the images of a message in its HTML, and saves its files', async () => {
    await sendMail(inbox, { to: recipients, raw: full });
    const page = await openNewest();
    const image = page.frameLocator('iframe').getByAltText('Logo');
    await page.frameLocator('iframe').locator('img[src^="data:"]').waitFor();
    expect(await image.getAttribute('src')).toBe(`data:image/png;base64,${PIXEL}`);

    const [bill] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'the bill.pdf' }).click(),
    ]);
    expect(bill.suggestedFilename()).toBe('the bill.pdf');
    expect((await readDownload(bill)).trim()).toBe('PDF');
    await page.getByRole('tab', { name: 'Message', exact: true }).click();
    const [source] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download message' }).click(),
    ]);
    expect(source.suggestedFilename()).toMatch(/^[0-9a-f-]{36}\.eml$/);
    expect(await readDownload(source)).toContain('boundary=m');
  });

  test('shows a message without HTML as text', async () => {
    await sendMail(inbox, { raw: compose({ Subject: 'Plain' }, 'Only text.') });
    const page = await openNewest();
    await page.getByText('Only text.').waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
  });

  test('tells the user when a message does not exist or the inbox cannot be reached', async () => {
    t.expectFault(/messages\/nothing returned 404$/);
    t.expectFault(/ERR_CONNECTION_REFUSED/);
    const page = await t.newPage({ baseURL: inbox.url });
    await page.goto('/messages/nothing');
    await page.getByRole('heading', { name: 'Message not found' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'All messages' }).click();
    await page.getByRole('heading', { name: 'No mail yet' }).waitFor();

    const stopped = inbox;
    await stopped.close();
    await page.getByText('Cannot reach the inbox. Retrying.').waitFor();
    const { folder } = stopped;
    const { port } = new URL(stopped.url);
    inbox = await openTestInbox({ folder, httpPort: Number(port) });
    await page.getByText('Cannot reach the inbox. Retrying.').waitFor({ state: 'hidden' });
  });

  test('shows text that could be mistaken for code as text, and runs nothing in HTML', async () => {
    t.expectFault(
      /^The console says: (Blocked (script execution in|autofocusing|opening) |Refused to execute the redirect|.* violates the following Content Security Policy directive)/,
    );
    for (let first = 0; first < xssPayloads.length; first += 9)
      await sendMail(inbox, { raw: composePayloads(xssPayloads.slice(first, first + 9)) });
    const ran: string[] = [];
    const requested: string[] = [];
    const page = await t.newPage({ baseURL: inbox.url });
    page.on('console', (message) => void (message.text() === RAN_MARKER && ran.push(page.url())));
    page.on('request', (request) => void (request.url().startsWith(FOREIGN_ORIGIN) && requested.push(request.url())));
    page.on('requestfailed', (request) => {
      if (request.failure()?.errorText === 'csp') requested.splice(requested.indexOf(request.url()), 1);
    });
    await showPage(page, '/');
    const listed = await page.getByRole('main').textContent();
    for (const payload of xssPayloads) expect(listed).toContain(payload);
    for (const id of await listIds(inbox)) {
      await showPage(page, `/messages/${id}`);
      const frame = await (await page.locator('iframe').elementHandle())?.contentFrame();
      await frame?.waitForLoadState('load');
      expect(await page.locator('iframe').getAttribute('sandbox')).toBe('');
      for (const name of ['HTML source', 'Text', 'Headers', 'Message'])
        await page.getByRole('tab', { name, exact: true }).click();
      expect(new URL(page.url()).origin).toBe(inbox.url);
    }
    expect({ ran, requested }).toEqual({ ran: [], requested: [] });
  });

  test('lists only http and https links', async () => {
    const hrefs = [
      'javascript:alert(1)',
      'data:text/html,x',
      'mailto:a@example.com',
      '/path',
      'https://ok.example/a?b=1&amp;c',
    ];
    const html = hrefs.map((href) => `<a href="${href}">x</a>`).join('');
    await sendMail(inbox, { raw: compose({ Subject: 'Links', 'Content-Type': 'text/html' }, html) });
    const page = await openNewest();
    await page.getByRole('tab', { name: 'Links' }).click();
    const listed = page.getByRole('tabpanel').getByRole('link');
    expect(await listed.evaluateAll((links) => links.map((each) => each.getAttribute('href')))).toEqual([
      'https://ok.example/a?b=1&c',
    ]);
  });

  test('the pages allow only their own scripts, and the files have a policy of their own', async () => {
    await sendMail(inbox, { raw: full });
    const [id] = await listIds(inbox);
    const getPolicy = async (path: string) => (await sendRequest(inbox, path)).headers['content-security-policy'];
    for (const path of ['/', `/messages/${id}`, '/messages/nothing'])
      expect(await getPolicy(path)).toMatch(/^default-src 'none';script-src 'self';(?!.*script-src)/);
    for (const path of ['/api/v1/messages', `/api/v1/message/${id}/raw`])
      expect(await getPolicy(path)).toBe("sandbox;default-src 'none';frame-ancestors 'none'");
  });
});

/** A message with these strings in every place that can hold text. */
function composePayloads(texts: readonly string[]): string {
  const word = `=?utf-8?b?${Buffer.from(texts.join(' ')).toString('base64')}?=`;
  const name = encodeURIComponent(texts.join(' ')).replace(/['()*]/g, (each) => `%${each.charCodeAt(0).toString(16)}`);
  return compose(
    {
      From: `${word} <shop@acme.example>`,
      To: `${word} <ada@example.com>`,
      Subject: word,
      'X-Note': texts.join(' ').replace(/[^ -~]/g, '?'),
      'Content-Type': 'multipart/mixed; boundary=m',
    },
    [
      '--m\nContent-Type: multipart/alternative; boundary=a\n',
      `--a\nContent-Type: text/plain; charset=utf-8\n\n${texts.join('\n')}`,
      `--a\nContent-Type: text/html; charset=utf-8\n\n<p>${texts.join('\n')}</p>`,
      '--a--',
      `--m\nContent-Type: text/html\nContent-Disposition: attachment; filename*=utf-8''${name}\n\n${texts.join('\n')}`,
      '--m--',
    ].join('\n'),
  );
}
