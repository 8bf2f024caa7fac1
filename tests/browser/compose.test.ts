import type { Email } from '@posthorn/contract';
import { until } from '@posthorn/testing';
import { callApi, sendEmail, withKey, withSession } from './call-api.js';
import { describeInBrowser } from './describe-in-browser.js';
import { expectAccessible } from './expect-accessible.js';
import { openAs } from './show-page.js';

const DAY_MS = 86_400_000;

const idIn = (url: string) => new URL(url).pathname.split('/').at(-1) ?? '';
const EMAIL_URL = /\/emails\/[0-9a-f-]{36}$/;

describeInBrowser('the page for a new email', (t) => {
  test('checks an email, then sends it with picked and dropped files', async () => {
    const page = await openAs(t, await t.newTenant(), '/emails');
    await page.getByRole('link', { name: 'New email' }).click();
    await page.getByRole('textbox', { name: 'To', exact: true }).fill('Doe, Jane <jane@example.com>, joe@example.com');
    await page.getByRole('textbox', { name: 'Subject' }).fill('Your invoice for May');
    await page.getByRole('textbox', { name: 'HTML', exact: true }).fill('<p>See the <b>file</b>.</p>');
    await page.locator('input[type=file]').setInputFiles([
      { name: 'invoice.txt', mimeType: 'text/plain', buffer: Buffer.from('Total: 24.00') },
      { name: 'order.eml', mimeType: 'message/rfc822', buffer: Buffer.from('Subject: Order\r\n\r\n') },
    ]);
    await page.getByText('invoice.txt (12 bytes)').waitFor();
    const dropped = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['dropped'], 'terms.txt', { type: 'text/plain' }));
      return transfer;
    })()`);
    await page.getByText('or drop them here').dispatchEvent('drop', { dataTransfer: dropped });
    await page.getByText('terms.txt (7 bytes)').waitFor();

    await page.getByRole('button', { name: 'Check', exact: true }).click();
    const check = page.getByRole('region', { name: 'Check' });
    await check.getByText('This email would be sent').waitFor();
    await check.getByText('2 sends').waitFor();
    await check.getByText('The platform sender, because From is empty.').waitFor();
    await check.getByText('DKIM unknown, SPF unknown, DMARC unknown').waitFor();
    await page.frameLocator('iframe[title="HTML preview"]').getByText('See the file.').waitFor();
    expect(t.sink.messages.some(({ parsed }) => parsed.subject === 'Your invoice for May')).toBe(false);

    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.waitForURL(EMAIL_URL);
    await page.getByRole('row', { name: /invoice\.txt.*text\/plain.*12 bytes/ }).waitFor();
    await page.getByRole('row', { name: /order\.eml.*message\/rfc822/ }).waitFor();
    const mail = await until('the email arrives', async () =>
      t.sink.messages.find(({ parsed }) => parsed.subject === 'Your invoice for May'),
    );
    expect(mail.parsed.attachments.map(({ filename }) => filename)).toEqual(['invoice.txt', 'order.eml', 'terms.txt']);
    expect(mail.envelope.to).toEqual(['jane@example.com', 'joe@example.com']);
  });

  test('shows errors next to their fields, and drops a removed file', async () => {
    const page = await openAs(t, await t.newTenant(), '/emails/new');
    await page.getByRole('textbox', { name: 'To', exact: true }).fill('nobody');
    await page.getByRole('textbox', { name: 'Subject' }).fill('Hello');
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Hello');
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'run.exe', mimeType: 'application/octet-stream', buffer: Buffer.from('MZ') });
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page
      .getByRole('alert')
      .getByText(/attachments\[0\]/)
      .waitFor();
    await page.getByRole('button', { name: 'Remove run.exe' }).click();
    await page.getByText('run.exe (').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page
      .locator('textarea[aria-invalid=true]')
      .and(page.getByRole('textbox', { name: 'To', exact: true }))
      .waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('schedules an email from a template with its variables', async () => {
    const tenant = await t.newTenant();
    const session = await withSession(t.url, tenant);
    const template = { name: 'Welcome', subject: 'Hi {{name}}', html_body: '<p>{{name}}</p>', text_body: '{{name}}' };
    await callApi(session, 'POST', '/api/v1/templates', template);
    const page = await openAs(t, tenant, '/emails/new');
    await page.getByRole('textbox', { name: 'To', exact: true }).fill('later@example.com');
    await page.getByLabel('Template').selectOption('Welcome');
    await page.getByRole('textbox', { name: 'name', exact: true }).fill('Ada');
    await page.getByLabel('Priority').selectOption('High');
    const time = new Date(Date.now() + DAY_MS).toISOString().slice(0, 16);
    await page.getByLabel('Send at').fill(time);
    await page.getByRole('button', { name: 'Schedule' }).click();
    await page.getByRole('heading', { name: 'Hi Ada', level: 1 }).waitFor();
    await page.waitForURL(EMAIL_URL);
    const email = await callApi<Email>(session, 'GET', `/api/v1/emails/${idIn(page.url())}`);
    expect(email).toMatchObject({ status: 'scheduled', priority: 'high', scheduled_at: `${time}:00.000Z` });
  });

  test('sends the variables as the fields show them, with defaults and empty values', async () => {
    const tenant = await t.newTenant();
    const session = await withSession(t.url, tenant);
    await callApi(session, 'POST', '/api/v1/templates', {
      name: 'Greeting',
      subject: '{{greeting}} {{name}}{{mark}}',
      html_body: '<p>Hi</p>',
      text_body: 'Hi',
      variables: [
        { name: 'greeting', default: 'Hello' },
        { name: 'mark', default: '!' },
      ],
    });
    const page = await openAs(t, tenant, '/emails/new');
    await page.getByRole('textbox', { name: 'To', exact: true }).fill('now@example.com');
    await page.getByLabel('Template').selectOption('Greeting');
    const mark = page.getByRole('textbox', { name: 'mark', exact: true });
    expect(await mark.inputValue()).toBe('!');
    await mark.fill('');
    await page.getByRole('textbox', { name: 'name', exact: true }).fill('Ada');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('heading', { name: 'Hello Ada', level: 1, exact: true }).waitFor();
  });

  test('has tags, headers and an expiry among the options that are hidden at first', async () => {
    const tenant = await t.newTenant();
    const page = await openAs(t, tenant, '/emails/new');
    await page.getByRole('textbox', { name: 'To', exact: true }).fill('tagged@example.com');
    await page.getByRole('textbox', { name: 'Subject' }).fill('With options');
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Hello');
    expect(await page.getByLabel('Tags').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'More options' }).click();
    await page.getByLabel('Tags').fill('campaign');
    await page.getByLabel('Headers').fill('X-Order-Id: 1001\nx-order-id: 1002');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText('Put a colon between the name and the value of “campaign”.').waitFor();
    await page.getByText('Only one line can have the name “x-order-id”.').waitFor();
    await page.getByLabel('Tags').fill('campaign: two words\nkind:offer');
    await page.getByLabel('Headers').fill('Subject: mine');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('tags[0].value: ').waitFor();
    await page.getByText('headers.Subject: cannot be set as a header.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await expectAccessible(page);
    await page.getByLabel('Tags').fill('campaign: spring\nkind:offer');
    await page.getByLabel('Headers').fill('X-Order-Id: 1001');
    await page.getByLabel('Expires at').fill('2020-01-01T00:00');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('must be after the email is due to be sent').waitFor();
    const time = new Date(Date.now() + DAY_MS).toISOString().slice(0, 16);
    await page.getByLabel('Expires at').fill(time);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.waitForURL(EMAIL_URL);
    const caller = await withSession(t.url, tenant);
    expect(await callApi<Email>(caller, 'GET', `/api/v1/emails/${idIn(page.url())}`)).toMatchObject({
      tags: [
        { name: 'campaign', value: 'spring' },
        { name: 'kind', value: 'offer' },
      ],
      headers: { 'X-Order-Id': '1001' },
      expires_at: `${time}:00.000Z`,
    });
  });

  test('opens with the content of an email that is sent again', async () => {
    const tenant = await t.newTenant();
    const caller = withKey(t.url, tenant.key);
    const id = await sendEmail(caller, {
      to: ['again@example.com'],
      subject: 'Once more',
      text: 'Hello again',
      attachments: [
        { filename: 'notes.txt', content: 'aGk=' },
        { filename: 'logo.gif', content: 'R0lGODlhAQABAAAAACw=', content_id: 'logo' },
      ],
      tags: [{ name: 'campaign', value: 'spring' }],
      headers: { 'X-Order-Id': '1001: a' },
    });
    const page = await openAs(t, tenant, `/emails/${id}`);
    await page.getByRole('link', { name: 'Send again' }).click();
    await page.getByText('notes.txt (2 bytes)').waitFor();
    await page.getByText('logo.gif (14 bytes)').waitFor();
    expect(await page.getByLabel('Tags').inputValue()).toBe('campaign:spring');
    expect(await page.getByLabel('Headers').inputValue()).toBe('X-Order-Id: 1001: a');
    await page.getByText('At most 10 files, and 10 MB for the whole email').waitFor();
    expect(await page.getByRole('textbox', { name: 'Text', exact: true }).inputValue()).toBe('Hello again');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.waitForURL((url) => EMAIL_URL.test(url.pathname) && idIn(url.href) !== id);
    const sent = () => t.sink.messages.filter(({ parsed }) => parsed.subject === 'Once more');
    await until('both emails arrive', async () => sent().length === 2);
    const [first, second] = sent().map(({ parsed }) => parsed);
    expect(second?.attachments.map(({ content }) => content)).toEqual(first?.attachments.map(({ content }) => content));
    const again = await callApi<Email>(caller, 'GET', `/api/v1/emails/${idIn(page.url())}`);
    expect(again.tags).toEqual([{ name: 'campaign', value: 'spring' }]);
    expect(again.headers).toEqual({ 'X-Order-Id': '1001: a' });
    expect(again.attachments).toEqual((await callApi<Email>(caller, 'GET', `/api/v1/emails/${id}`)).attachments);
  });
});
