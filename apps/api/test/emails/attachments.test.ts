import { openTestApi, type TestApi } from '../open-test-api.js';
import { countEmails, readUsage } from './usage.js';

let t: TestApi;

beforeEach(async () => {
  t = await openTestApi();
});

afterEach(() => t.close());

const email = { to: ['jane@example.com'], subject: 'Invoice', html: '<img src="cid:logo">', text: 'Hi' };
const base64 = (bytes: string | Buffer) => Buffer.from(bytes).toString('base64');
const pdf = { filename: 'invoice.pdf', content: base64('%PDF-1.7') };

const send = (attachments: unknown, headers: Record<string, string> = t.auth) =>
  t.api
    .post('/api/v1/emails')
    .set(headers)
    .send({ ...email, attachments });

async function read(id: string, key = t.key) {
  return (await t.api.get(`/api/v1/emails/${id}`).set('Authorization', `Bearer ${key}`)).body;
}

describe('attachments', () => {
  test('are stored with the email, with the type of their name unless the request gives one', async () => {
    const { status, body } = await send([
      pdf,
      { filename: 'logo.png', content: base64('png'), content_type: 'image/x-icon', content_id: 'logo' },
    ]);
    expect(status).toBe(202);
    expect((await read(body.id)).attachments).toEqual([
      { filename: 'invoice.pdf', content_type: 'application/pdf', content_id: null, size: 8 },
      { filename: 'logo.png', content_type: 'image/x-icon', content_id: 'logo', size: 3 },
    ]);
    const sendingKey = await t.keyWith(['emails:send']);
    expect((await read(body.id, sendingKey)).attachments).toBeNull();
  });

  test('of one workspace leave connections to Postgres for others while they wait', async () => {
    expect((await send([pdf])).status).toBe(202);
    const other = await t.otherTenant();
    const locking = await t.ctx.db.transaction();
    await locking('storage').where({ workspace_id: t.workspace.id }).forUpdate();
    const more = (index: number) => [{ filename: `${index}.txt`, content: base64(`file ${index}`) }];
    const waiting = Promise.all(Array.from({ length: 12 }, (_, index) => send(more(index))));
    expect((await t.api.post('/api/v1/emails').set(other.auth).send(email)).status).toBe(202);
    await locking.rollback();
    expect((await waiting).map(({ status }) => status)).toEqual(Array(12).fill(202));
  });

  test.each([
    ['with the line ends of Unix', 'Subject: Hi\n\nHi\n', 'Subject: Hi\r\n\r\nHi\r\n', '7bit'],
    ['with the line ends of messages', 'Subject: Hi\r\n\r\nHi', 'Subject: Hi\r\n\r\nHi', '7bit'],
    ['in UTF-8', 'Subject: Größe\r\n\r\n日本\r\n', 'Subject: Größe\r\n\r\n日本\r\n', '8bit'],
  ])('that are messages %s can be opened by mail programs', async (_how, content, sent, encoding) => {
    const testKey = { Authorization: `Bearer ${await t.keyWith(['emails:send', 'emails:read'], 'test')}` };
    const { status, body } = await send([{ filename: 'forwarded.eml', content: base64(content) }, pdf], testKey);
    expect(status).toBe(202);
    const { text } = await t.api.get(`/api/v1/emails/${body.id}/message`).set(testKey).expect(200);
    const part = [
      'Content-Type: message/rfc822; name="forwarded.eml"',
      `Content-Transfer-Encoding: ${encoding}`,
      'Content-Disposition: attachment; filename="forwarded.eml"',
      '',
      sent,
    ];
    expect(text).toContain(`${part.join('\r\n')}\r\n--`);
    const outer = /^Content-Type: multipart\/mixed;\r\n boundary=.*\r\n(Content-Transfer-Encoding: .*\r\n)?/m.exec(
      text,
    );
    expect(outer?.[1]?.trim()).toBe(encoding === '8bit' ? 'Content-Transfer-Encoding: 8bit' : undefined);
  });

  test.each([
    ['a NUL', 'Subject: Hi\r\n\r\n\0', 'contains a NUL character'],
    [
      'a line that is too long',
      `Subject: Hi\r\n\r\n${'x'.repeat(999)}`,
      'has a line of 999 characters; the limit in a message is 998',
    ],
  ])(
    'that are no messages because of %s are files, unless the request says that they are',
    async (_what, text, fault) => {
      const eml = { filename: 'forwarded.eml', content: base64(text) };
      const { body } = await send([eml]);
      expect((await read(body.id)).attachments[0].content_type).toBe('application/octet-stream');
      const refused = await send([{ ...eml, content_type: 'message/rfc822' }]);
      expect([refused.status, refused.body.errors[0].field]).toEqual([422, 'attachments[0]']);
      expect(refused.body.detail).toContain(fault);
      expect(refused.body.detail).toContain('Send it with the content_type application/octet-stream');
    },
  );

  test('that are invitations are also an alternative to the text', async () => {
    const testKey = { Authorization: `Bearer ${await t.keyWith(['emails:send', 'emails:read'], 'test')}` };
    const ics = { filename: 'invite.ics', content_type: 'text/calendar; charset=utf-8; method=REQUEST' };
    const { body } = await send([pdf, { ...ics, content: base64('BEGIN:VCALENDAR\r\n') }], testKey);
    const { text } = await t.api.get(`/api/v1/emails/${body.id}/message`).set(testKey).expect(200);
    expect([...text.matchAll(/^Content-Type: ([^;\r]+)/gm)].map(([, type]) => type)).toEqual([
      ...['multipart/mixed', 'multipart/alternative', 'text/plain', 'text/html', 'text/calendar'],
      ...['application/pdf', 'application/ics'],
    ]);
    const lines = base64('BEGIN:VCALENDAR\r\n');
    expect(text).toContain(
      `Content-Type: text/calendar; charset=utf-8; method=REQUEST;\r\n name="invite.ics"\r\nContent-Transfer-Encoding: base64\r\n\r\n${lines}\r\n`,
    );
    expect((await read(body.id, testKey.Authorization.slice(7))).attachments).toHaveLength(2);
  });

  test('may have null as their type and id, and an id in the brackets of its header field or after cid:', async () => {
    const logo = { filename: 'logo.png', content: base64('png'), content_type: null };
    const { body } = await send([
      { ...logo, content_id: '<logo>' },
      { ...logo, content_id: null },
      { ...logo, content_id: 'cid:photo', content_type: 'image/png ;  x=1' },
    ]);
    expect((await read(body.id)).attachments).toMatchObject([
      { content_type: 'image/png', content_id: 'logo' },
      { content_type: 'image/png', content_id: null },
      { content_type: 'image/png; x=1', content_id: 'photo' },
    ]);
  });

  test('that are text in UTF-8 say so, and no others', async () => {
    const { body } = await send([
      { filename: 'notes.txt', content: base64('Grüße') },
      { filename: 'plain.csv', content: base64('a,b') },
      { filename: 'latin.txt', content: base64(Buffer.from('Grüße', 'latin1')) },
      { filename: 'page.html', content: base64('ü'), content_type: 'text/html; charset=utf-16' },
      { filename: 'data.json', content: base64('"ü"') },
    ]);
    const { attachments } = await read(body.id);
    expect(attachments.map((file: { content_type: string }) => file.content_type)).toEqual([
      'text/plain; charset=utf-8',
      'text/csv',
      'text/plain',
      'text/html; charset=utf-16',
      'application/json',
    ]);
  });

  test('may be an empty list, and a file may be empty', async () => {
    expect((await send([])).status).toBe(202);
    const { status, body } = await send([{ filename: 'empty.txt', content: '' }]);
    expect(status).toBe(202);
    expect((await read(body.id)).attachments).toEqual([
      { filename: 'empty.txt', content_type: 'text/plain', content_id: null, size: 0 },
    ]);
  });

  test('can be sent in a batch, which stores the same content once', async () => {
    const { status } = await t.api
      .post('/api/v1/emails/batch')
      .set(t.auth)
      .send([
        { ...email, attachments: [pdf] },
        email,
        { ...email, attachments: [pdf, { ...pdf, filename: 'copy.pdf' }] },
      ]);
    expect(status).toBe(202);
    expect(await t.ctx.db('email_attachments').where({ workspace_id: t.workspace.id })).toHaveLength(3);
    expect(await t.ctx.db('blobs').where({ workspace_id: t.workspace.id })).toHaveLength(1);
    expect(await t.ctx.db('deliveries').where({ workspace_id: t.workspace.id }).pluck('needs')).toEqual(
      expect.arrayContaining([0, 1, 1]),
    );
  });

  test('are part of the request that an Idempotency-Key identifies', async () => {
    const headers = { ...t.auth, 'Idempotency-Key': 'invoice-1' };
    const first = await send([pdf], headers);
    const replay = await send([pdf], headers);
    expect([replay.status, replay.text]).toEqual([202, first.text]);
    const other = await send([{ ...pdf, content: base64('%PDF-1.6') }], headers);
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_key_reused']);
    expect(await countEmails(t)).toBe(1);
  });

  test('as an empty list do not change the fingerprint of a request', async () => {
    const headers = { ...t.auth, 'Idempotency-Key': 'plain-1' };
    const first = await t.api.post('/api/v1/emails').set(headers).send(email);
    expect((await send([], headers)).text).toBe(first.text);
  });

  test('leave nothing behind when the request is refused', async () => {
    const { status } = await send([pdf, { ...pdf, filename: 'a.exe' }]);
    expect(status).toBe(422);
    expect(await t.ctx.db('email_attachments').where({ workspace_id: t.workspace.id })).toHaveLength(0);
    expect(await t.ctx.db('blobs').where({ workspace_id: t.workspace.id })).toHaveLength(0);
    expect(await readUsage(t)).toEqual({ month: 0, day: 0 });
  });

  test('are accepted up to a message size of 10 MB', async () => {
    const content = base64(Buffer.alloc(7_300_000, 'x'));
    const { status, body } = await send([{ filename: 'large.bin', content }]);
    expect(status).toBe(202);
    expect((await read(body.id)).attachments).toMatchObject([{ size: 7_300_000 }]);
  });

  test('of more than 10 MB in total are refused, and the error states their size', async () => {
    const content = base64(Buffer.alloc(3_660_000));
    const { status, body } = await send([
      { filename: 'a.bin', content },
      { filename: 'b.bin', content },
    ]);
    expect(status).toBe(422);
    expect(body.errors).toEqual([
      {
        field: 'attachments',
        message: expect.stringMatching(
          /^make a message of up to 10,02\d,\d{3} bytes once it is encoded; the limit is 10,000,000\. Link to large files/,
        ),
      },
    ]);
  });

  test.each([
    ['an object instead of a list', pdf, 'attachments', 'must be an array'],
    ['a string instead of an object', ['invoice.pdf'], 'attachments[0]', 'must be an object'],
    ['eleven', Array(11).fill(pdf), 'attachments', 'has 11 items; the limit is 10'],
    ['no name', [{ content: pdf.content }], 'attachments[0].filename', 'is required'],
    ['an empty name', [{ ...pdf, filename: '' }], 'attachments[0].filename', 'must not be empty'],
    ['a path', [{ ...pdf, filename: '../a.pdf' }], 'attachments[0].filename', 'must be a name without a path'],
    [
      'a program',
      [pdf, { ...pdf, filename: 'a.exe' }],
      'attachments[1].filename',
      'ends with .exe; mail servers refuse',
    ],
    ['no content', [{ filename: 'a.pdf' }], 'attachments[0].content', 'is required'],
    ['bytes as a list', [{ ...pdf, content: [1] }], 'attachments[0].content', 'must be a string'],
    ['a data URL', [{ ...pdf, content: 'data:a/b;base64,AA==' }], 'attachments[0].content', 'up to the comma'],
    ['line breaks', [{ ...pdf, content: 'QUJD\nQUJD' }], 'attachments[0].content', 'remove the line breaks'],
    [
      'bits that decoding drops',
      [{ ...pdf, content: 'YR==' }],
      'attachments[0].content',
      'encode the bytes of the file again',
    ],
    ['an invisible character', [{ ...pdf, content: 'YQ=\u200b' }], 'attachments[0].content', 'remove the characters'],
    ['no padding', [{ ...pdf, content: 'YQ' }], 'attachments[0].content', 'with padding'],
    ['URL-safe base64', [{ ...pdf, content: '_-8=' }], 'attachments[0].content', 'with + and /'],
    ['no padding', [{ ...pdf, content: 'QQ' }], 'attachments[0].content', 'with padding'],
    ['an invalid type', [{ ...pdf, content_type: 'pdf' }], 'attachments[0].content_type', 'must be a media type'],
    ['a multipart type', [{ ...pdf, content_type: 'multipart/mixed' }], 'attachments[0].content_type', 'octet-stream'],
    ['an invalid content id', [{ ...pdf, content_id: '<lo go>' }], 'attachments[0].content_id', 'letters, digits'],
    [
      'a duplicate content id',
      [
        { ...pdf, content_id: 'a' },
        { ...pdf, content_id: 'a' },
      ],
      'attachments[1].content_id',
      'is also the content_id of attachments[0]',
    ],
    [
      'a path to fetch',
      [{ filename: 'a.pdf', path: 'https://x.example/a.pdf' }],
      'attachments[0].path',
      'send the file',
    ],
    ['a URL', [{ filename: 'a.pdf', url: 'https://x.example/a.pdf' }], 'attachments[0].url', 'as base64'],
    ['an unknown field', [{ ...pdf, disposition: 'inline' }], 'attachments[0].disposition', 'is not a known field'],
  ])('with %s are refused', async (_, attachments, field, says) => {
    const { status, body } = await send(attachments);
    expect([status, body.code]).toEqual([422, 'validation_failed']);
    const fault = body.errors.find((error: { field: string }) => error.field === field);
    expect([fault?.field, fault?.message]).toEqual([field, expect.stringContaining(says)]);
  });

  test('that include null are refused with no other fault', async () => {
    const { body } = await send([pdf, null]);
    const message = expect.stringContaining('must be an object');
    expect(body.errors).toEqual([{ field: 'attachments[1]', message }]);
  });
});
