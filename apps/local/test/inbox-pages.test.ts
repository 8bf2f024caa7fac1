import {
  closeTestInbox,
  compose,
  listIds,
  openTestInbox,
  sendMail,
  sendRequest,
  type TestInbox,
} from './inbox-client.js';

let inbox: TestInbox;

beforeEach(async () => {
  inbox = await openTestInbox();
});

afterEach(() => closeTestInbox(inbox));

async function newestMessagePath(): Promise<string> {
  const [id] = await listIds(inbox);
  return `/messages/${id}`;
}

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

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
    '--a\nContent-Type: text/plain\n\nConfirm at https://acme.example/confirm?a=1&b=2.',
    '--a\nContent-Type: text/html\n\n<p>Confirm <a href="https://acme.example/confirm?a=1&amp;b=2">here</a> <img src="cid:logo"></p>',
    '--a--',
    `--m\nContent-Type: image/png\nContent-ID: <logo>\nContent-Transfer-Encoding: base64\n\n${pixel}`,
    '--m\nContent-Type: application/pdf\nContent-Disposition: attachment; filename="the bill.pdf"\n\nPDF',
    '--m--',
  ].join('\n'),
);

const recipients = ['ada@example.com', 'grace@example.com', 'hidden@example.com'];

test('an empty inbox explains how to send an email', async () => {
  const { status, body } = await sendRequest(inbox, '/');

  expect(status).toBe(200);
  expect(body).toContain('No mail yet');
  expect(body).toContain('npm start');
  expect(body).toContain(inbox.smtpUrl);
});

test('the list shows subject, sender, recipients and time, newest first', async () => {
  await sendMail(inbox, { raw: compose({ Subject: 'Older' }) }, { to: recipients, raw: full });
  const { headers, body } = await sendRequest(inbox, '/');

  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(body.indexOf('Grüße')).toBeLessThan(body.indexOf('Older'));
  expect(body).toContain('Acme Shop &lt;shop@acme.example&gt;');
  expect(body).toContain('ada@example.com, grace@example.com, hidden@example.com');
  expect(body).toMatch(/<time [^>]*datetime="20\d\d-\d\d-\d\dT[\d:.]+Z">\d\d:\d\d<\/time>/);
  expect(body).toContain('2 messages, 2 unread');
  expect(body).not.toContain('No mail yet');
});

test('a long list is split into pages', async () => {
  await sendMail(
    inbox,
    ...Array.from({ length: 51 }, (_, index) => ({ raw: compose({ Subject: `No. ${index + 1}.` }) })),
  );
  const first = await sendRequest(inbox, '/');
  const second = await sendRequest(inbox, '/?start=50&limit=50');

  expect(first.body).toContain('No. 2.');
  expect(first.body).not.toContain('No. 1.');
  expect(first.body).toContain('<a href="/?start=50&amp;limit=50">Older</a>');
  expect(second.body).toContain('No. 1.');
  expect(second.body).toContain('<a href="/?start=0&amp;limit=50">Newer</a>');
  expect(second.body).not.toContain('Older');
});

test('a message shows its addresses (including Bcc), envelope and date', async () => {
  await sendMail(inbox, { from: 'bounce@acme.example', to: recipients, raw: full });
  const { body } = await sendRequest(inbox, await newestMessagePath());
  const fact = (name: string) => new RegExp(`<dt>${name}</dt><dd><bdi>([^<]*)</bdi></dd>`).exec(body)?.[1];

  expect(body).toContain('<h1><bdi>Grüße</bdi></h1>');
  expect(fact('From')).toBe('Acme Shop &lt;shop@acme.example&gt;');
  expect(fact('To')).toBe('Ada Lovelace &lt;ada@example.com&gt;');
  expect(fact('Cc')).toBe('grace@example.com');
  expect(fact('Bcc')).toBe('hidden@example.com');
  expect(fact('Reply to')).toBe('help@acme.example');
  expect(fact('Date')).toContain('21 Nov 2026');
  expect(fact('Envelope')).toBe('bounce@acme.example to ada@example.com, grace@example.com, hidden@example.com');
});

test('a message shows its text, its raw headers and clickable links', async () => {
  await sendMail(inbox, { to: recipients, raw: full });
  const { body } = await sendRequest(inbox, await newestMessagePath());
  const address = 'https://acme.example/confirm?a=1&amp;b=2';
  const link = `<a href="${address}" target="_blank" rel="noopener noreferrer">${address}</a>`;

  expect(body).toContain(`Confirm at ${link}.`);
  expect(body).toContain(`<li>${link}</li>`);
  expect(body).toContain('<dt>Subject</dt><dd><bdi>=?utf-8?q?Gr=C3=BC=C3=9Fe?=</bdi></dd>');
});

test('message HTML is shown in a sandboxed frame', async () => {
  await sendMail(inbox, { to: recipients, raw: full });
  const path = await newestMessagePath();
  const page = await sendRequest(inbox, path);
  const frame = await sendRequest(inbox, `${path}/html`);

  expect(page.body).toContain(`<iframe sandbox="" src="${path}/html"`);
  expect(frame.headers['content-security-policy']).toBe(
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  );
  expect(frame.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(frame.body).toContain(`<img src="data:image/png;base64,${pixel}">`);
});

test('a message without HTML has no frame', async () => {
  await sendMail(inbox, { raw: compose({ Subject: 'Plain' }, 'Only text.') });
  const { body } = await sendRequest(inbox, await newestMessagePath());

  expect(body).not.toContain('<iframe');
  expect(body).toContain('Only text.');
  expect(body).toContain('id="view-text" checked');
});

test('the source and the attachments can be downloaded', async () => {
  await sendMail(inbox, { raw: full });
  const path = await newestMessagePath();
  const source = await sendRequest(inbox, `${path}/raw`);
  const bill = await sendRequest(inbox, `${path}/attachments/1`);

  expect(source.headers).toMatchObject({ 'content-type': 'message/rfc822', 'x-content-type-options': 'nosniff' });
  expect(source.headers['content-disposition']).toMatch(/^attachment; filename\*=UTF-8''[0-9a-f-]{36}\.eml$/);
  expect(source.body).toContain('boundary=m');
  expect(bill.headers['content-disposition']).toBe("attachment; filename*=UTF-8''the%20bill.pdf");
  expect(bill.headers['content-security-policy']).toContain('sandbox');
  expect(bill.body.trim()).toBe('PDF');
});

test('opening a message marks it as read', async () => {
  await sendMail(inbox, { raw: full });
  await sendRequest(inbox, await newestMessagePath());

  expect((await sendRequest(inbox, '/')).body).toContain('1 message, 0 unread');
});

test('an unknown message, attachment or page returns 404', async () => {
  await sendMail(inbox, { raw: full });
  const path = await newestMessagePath();
  const unknown = [
    '/messages/nothing',
    '/messages/01930000-0000-7000-8000-000000000000',
    '/messages/..%2f..%2fetc%2fpasswd',
    '/messages/01930000-0000-7000-8000-000000000000/html',
    '/messages/01930000-0000-7000-8000-000000000000/raw',
    `${path}/attachments/2`,
    `${path}/attachments/-1`,
    `${path}/nothing`,
    '/nothing',
    '//',
  ];
  const statuses = await Promise.all(unknown.map(async (each) => (await sendRequest(inbox, each)).status));

  expect(statuses).toEqual(unknown.map(() => 404));
});

test('the stylesheet and the script have the right content types', async () => {
  expect((await sendRequest(inbox, '/inbox.css')).headers['content-type']).toBe('text/css; charset=utf-8');
  expect((await sendRequest(inbox, '/inbox.js')).headers['content-type']).toBe('text/javascript; charset=utf-8');
});
