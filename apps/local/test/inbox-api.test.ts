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

const raw = compose(
  {
    From: 'Acme Shop <shop@acme.example>',
    To: 'Ada <ada@example.com>',
    Cc: 'grace@example.com',
    'Reply-To': 'help@acme.example',
    Subject: 'Your order',
    Date: 'Sat, 21 Nov 2026 09:00:00 +0000',
    'Message-ID': '<order-1@acme.example>',
    'Content-Type': 'multipart/mixed; boundary=m',
  },
  [
    '--m\nContent-Type: multipart/alternative; boundary=a\n',
    '--a\nContent-Type: text/plain\n\nIt has\nshipped.',
    '--a\nContent-Type: text/html\n\n<p>It has shipped.</p>',
    '--a--',
    '--m\nContent-Type: application/pdf\nContent-Disposition: attachment; filename=bill.pdf\n\nPDF',
    '--m--',
  ].join('\n'),
);

const addresses = {
  From: { Name: 'Acme Shop', Address: 'shop@acme.example' },
  To: [{ Name: 'Ada', Address: 'ada@example.com' }],
  Cc: [{ Name: '', Address: 'grace@example.com' }],
  Bcc: [{ Name: '', Address: 'hidden@example.com' }],
  ReplyTo: [{ Name: '', Address: 'help@acme.example' }],
};

const mail = { to: ['ada@example.com', 'grace@example.com', 'hidden@example.com'], raw };

test('the list is in Mailpit format', async () => {
  await sendMail(inbox, mail);
  const { headers, body } = await sendRequest(inbox, '/api/v1/messages');

  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(JSON.parse(body)).toEqual({
    total: 1,
    unread: 1,
    count: 1,
    start: 0,
    messages: [
      {
        ID: expect.stringMatching(/^[0-9a-f-]{36}$/),
        MessageID: 'order-1@acme.example',
        Read: false,
        ...addresses,
        Subject: 'Your order',
        Created: expect.stringMatching(/^20\d\d-.*Z$/),
        Size: raw.replaceAll('\n', '\r\n').length + 2,
        Attachments: 1,
        Snippet: 'It has shipped.',
      },
    ],
  });
});

test('a message is in Mailpit format, and fetching it marks it as read', async () => {
  await sendMail(inbox, mail);
  const [id] = await listIds(inbox);
  const { body } = await sendRequest(inbox, `/api/v1/message/${id}`);
  const list = await sendRequest(inbox, '/api/v1/messages');

  expect(JSON.parse(body)).toEqual({
    ID: id,
    MessageID: 'order-1@acme.example',
    ReturnPath: 'shop@acme.example',
    ...addresses,
    Subject: 'Your order',
    Date: '2026-11-21T09:00:00.000Z',
    Text: expect.stringMatching(/^It has\nshipped\.\n?$/),
    HTML: expect.stringMatching(/^<p>It has shipped\.<\/p>\n?$/),
    Size: raw.replaceAll('\n', '\r\n').length + 2,
    Attachments: [
      { PartID: '0', FileName: 'bill.pdf', ContentType: 'application/pdf', ContentID: '', Size: expect.any(Number) },
    ],
  });
  expect(JSON.parse(list.body)).toMatchObject({ unread: 0, messages: [{ Read: true }] });
});

test('a message without headers shows its envelope addresses', async () => {
  await sendMail(inbox, { from: 'cron@host.example', to: ['root@host.example'], raw: '\nThe job ran.' });
  const [id] = await listIds(inbox);
  const { body } = await sendRequest(inbox, `/api/v1/message/${id}`);

  expect(JSON.parse(body)).toMatchObject({
    From: { Name: '', Address: 'cron@host.example' },
    To: [],
    Bcc: [{ Name: '', Address: 'root@host.example' }],
    Subject: '',
  });
});

test('the snippet of an HTML message is its text without markup', async () => {
  const html = '<style>p { color: red }</style><!-- no --><h1>Hello &amp; <b>welcome</b></h1><script>no()</script>';
  await sendMail(inbox, { raw: compose({ 'Content-Type': 'text/html' }, html) });
  const { body } = await sendRequest(inbox, '/api/v1/messages');

  expect(JSON.parse(body).messages[0].Snippet).toBe('Hello & welcome');
});

test('limit and start page through the list; invalid values are ignored', async () => {
  await sendMail(inbox, ...['1', '2', '3', '4'].map((Subject) => ({ raw: compose({ Subject }) })));
  const list = async (query: string) => {
    const { total, count, start, messages } = JSON.parse((await sendRequest(inbox, `/api/v1/messages?${query}`)).body);
    return { total, count, start, subjects: messages.map(({ Subject }: { Subject: string }) => Subject) };
  };

  expect(await list('limit=2')).toEqual({ total: 4, count: 2, start: 0, subjects: ['4', '3'] });
  expect(await list('limit=2&start=3')).toEqual({ total: 4, count: 1, start: 3, subjects: ['1'] });
  expect(await list('limit=-1&start=x')).toMatchObject({ count: 4, start: 0 });
});

test('DELETE removes the listed messages, or all messages', async () => {
  await sendMail(inbox, mail, mail, mail);
  const [newest, ...others] = await listIds(inbox);
  const deleted = await sendRequest(inbox, '/api/v1/messages', {
    method: 'DELETE',
    body: JSON.stringify({ IDs: [newest] }),
  });

  expect(deleted).toMatchObject({ status: 200, body: 'ok\n' });
  expect(await listIds(inbox)).toEqual(others);
  await sendRequest(inbox, '/api/v1/messages', { method: 'DELETE' });
  expect(await listIds(inbox)).toEqual([]);
  expect((await sendRequest(inbox, `/api/v1/message/${newest}`)).status).toBe(404);
});

test('an invalid DELETE removes nothing', async () => {
  await sendMail(inbox, mail);
  const bodies = ['{', '{"IDs":"all"}', 'null', '{"IDs":["unknown"]}', `{"IDs":["${'x'.repeat(70_000)}"]}`];
  const statuses: number[] = [];
  for (const body of bodies)
    statuses.push((await sendRequest(inbox, '/api/v1/messages', { method: 'DELETE', body })).status);

  expect(statuses).toEqual([400, 400, 400, 200, 413]);
  expect(await listIds(inbox)).toHaveLength(1);
});

test('/info names the SMTP server and says how many messages the inbox keeps', async () => {
  const { body } = await sendRequest(inbox, '/api/v1/info');

  expect(JSON.parse(body)).toEqual({ SMTPServer: inbox.smtpUrl, MaxMessages: 500 });
});

test('an unknown ID returns 404, and an unsupported method returns 405', async () => {
  const missing = await sendRequest(inbox, '/api/v1/message/nothing');
  const paths = ['/nothing', '/messages/nothing/html', '/api/v1/message/..%2f..%2fetc%2fpasswd/raw'];
  const statuses = await Promise.all(paths.map(async (path) => (await sendRequest(inbox, path)).status));
  const posted = await sendRequest(inbox, '/api/v1/messages', { method: 'POST' });

  expect(missing).toMatchObject({ status: 404, body: '{"Error":"message not found"}' });
  expect((await sendRequest(inbox, '/api/v1/message/nothing/raw')).status).toBe(404);
  expect(statuses).toEqual(paths.map(() => 404));
  expect(posted.status).toBe(405);
  expect(posted.headers.allow).toBe('GET, DELETE');
});

test.each(['evil.example', 'evil.example:8025', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1'])(
  'a request with the host "%s" is rejected',
  async (host) => {
    expect((await sendRequest(inbox, '/api/v1/messages', { headers: { host } })).status).toBe(403);
    expect((await sendRequest(inbox, '/', { headers: { host } })).status).toBe(403);
  },
);

test.each(['localhost', 'LOCALHOST:8025', '127.0.0.1:8025', '[::1]:8025'])(
  'a request with the host "%s" is accepted',
  async (host) => {
    expect((await sendRequest(inbox, '/api/v1/messages', { headers: { host } })).status).toBe(200);
  },
);

test('other sites cannot delete messages; the inbox page and non-browser clients can', async () => {
  await sendMail(inbox, mail);
  const deleteWith = async (headers: Record<string, string>) =>
    (await sendRequest(inbox, '/api/v1/messages', { method: 'DELETE', headers, body: '{"IDs":["none"]}' })).status;

  expect(await deleteWith({ 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await deleteWith({ 'sec-fetch-site': 'same-site' })).toBe(403);
  expect(await deleteWith({ origin: 'http://evil.example' })).toBe(403);
  expect(await deleteWith({ origin: 'null' })).toBe(403);
  expect(await deleteWith({ 'sec-fetch-site': 'same-origin', origin: inbox.url })).toBe(200);
  expect(await deleteWith({ origin: inbox.url })).toBe(200);
  expect(await deleteWith({})).toBe(200);
});
