import PostalMime from 'postal-mime';
import { openTestApi, type TestApi } from '../open-test-api.js';

let t: TestApi;

beforeAll(async () => {
  t = await openTestApi({ config: { publicUrl: 'https://mail.example.com', rateLimitPerMinute: 10_000 } });
});

afterAll(() => t.close());

const email = {
  to: ['jane@example.com'],
  subject: 'News',
  html: '<a href="{{unsubscribe_url}}">Unsubscribe</a>',
  text: 'Unsubscribe: {{unsubscribe_url}} or {{ unsubscribe_url }}',
  unsubscribe: { topic: 'newsletter' },
};

const post = (path: string, body: object, headers: object = {}) =>
  t.api
    .post(`/api/v1/emails${path}`)
    .set({ ...t.auth, ...headers })
    .send(body);

const readErrors = async (body: object) => {
  const response = await post('', body);
  return [response.status, response.body.errors];
};

async function readMessage(id: string): Promise<string> {
  const session = await t.login();
  const response = await t.api
    .get(`/api/v1/emails/${id}/message`)
    .set(session)
    .buffer(true)
    .parse((res, done) => {
      let text = '';
      res.setEncoding('latin1');
      res.on('data', (chunk: string) => {
        text += chunk;
      });
      res.on('end', () => done(null, text));
    });
  expect(response.status).toBe(200);
  return response.body;
}

const URL_LINE = /^List-Unsubscribe: <(https:\/\/mail\.example\.com\/u\/[\w-]+)>\r$/m;

describe('an email with unsubscribe', () => {
  test('has both headers, signed, and the link in its bodies; the message is the same each time', async () => {
    const { status, body } = await post('', email);
    expect(status).toBe(202);
    const message = await readMessage(body.id);
    const url = URL_LINE.exec(message)?.[1] ?? '';
    expect(message).toContain('\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n');
    const signed = /h=([^;]*);/.exec(message.replaceAll(/\r\n\s+/g, ''))?.[1]?.split(':');
    expect(signed?.filter((name) => name.trim() === 'list-unsubscribe')).toHaveLength(2);
    expect(signed?.filter((name) => name.trim() === 'list-unsubscribe-post')).toHaveLength(2);
    expect(await readMessage(body.id)).toBe(message);

    const read = await t.api.get(`/api/v1/emails/${body.id}`).set(t.auth);
    expect(read.body.unsubscribe).toEqual({ topic: 'newsletter' });
    // Sent again to someone else, the content must not have this recipient's link.
    expect([read.body.html, read.body.text]).toEqual([email.html, email.text]);
    const { html, text } = await PostalMime.parse(message);
    expect(html).toContain(`<a href="${url}">Unsubscribe</a>`);
    expect(text).toContain(`Unsubscribe: ${url} or {{ unsubscribe_url }}`);
  });

  test('fills in the variable of a template, also in its subject, and does not store it', async () => {
    const saved = await t.api.post('/api/v1/templates').set(t.auth).send({
      name: 'News',
      subject: 'News for {{name}}',
      html_body: '<p>{{name}}</p><a href="{{unsubscribe_url}}">x</a>',
      text_body: '{{unsubscribe_url}}',
    });
    const fromTemplate = { to: email.to, template_id: saved.body.id, template_vars: { name: 'Jane' } };
    const missing = await post('', fromTemplate);
    expect([missing.status, missing.body.code]).toEqual([422, 'missing_template_variables']);
    const given = { ...fromTemplate, template_vars: { name: 'Jane', unsubscribe_url: 'https://a.example' } };
    expect((await post('', given)).status).toBe(202);

    const { body } = await post('', { ...fromTemplate, unsubscribe: email.unsubscribe });
    const read = await t.api.get(`/api/v1/emails/${body.id}`).set(t.auth);
    const url = URL_LINE.exec(await readMessage(body.id))?.[1];
    expect(read.body).toMatchObject({
      template_vars: { name: 'Jane' },
      html: `<p>Jane</p><a href="${url}">x</a>`,
      text: url,
    });
    expect(await readErrors({ ...given, unsubscribe: email.unsubscribe })).toEqual([
      422,
      [
        {
          field: 'template_vars.unsubscribe_url',
          message: 'is filled in by the service, because the email has unsubscribe. Remove one of the two',
        },
      ],
    ]);
  });

  test.each([
    ['to', { to: ['a@example.com', 'b@example.com'] }, 2],
    ['cc', { cc: ['b@example.com'] }, 2],
    ['bcc', { cc: ['b@example.com'], bcc: ['c@example.com'] }, 3],
  ])('is refused with several recipients in %s', async (_field, recipients, count) => {
    const message = `requires exactly one recipient, because the link unsubscribes only one; this email has ${count}. Send each of them an email, for example with /api/v1/emails/batch`;
    const refused = { ...email, ...recipients };
    expect(await readErrors(refused)).toEqual([422, [{ field: 'unsubscribe', message }]]);
    expect((await post('/check', refused)).body.errors).toEqual([{ field: 'unsubscribe', message }]);
    expect((await post('/batch', [email, refused])).body.errors).toEqual([{ field: '[1].unsubscribe', message }]);
  });

  test('may name its only recipient twice', async () => {
    const { status, body } = await post('', { ...email, cc: ['JANE@example.com'] });
    expect([status, body.warnings[0].code]).toEqual([202, 'duplicate_recipients_removed']);
  });

  test.each([['List-Unsubscribe'], ['list-unsubscribe-POST']])('cannot have a %s of its own', async (name) => {
    expect(await readErrors({ ...email, headers: { [name]: '<mailto:a@example.com>' } })).toEqual([
      422,
      [{ field: `headers.${name}`, message: 'is set by unsubscribe. Remove one of the two' }],
    ]);
    const { unsubscribe, ...without } = email;
    expect((await post('', { ...without, headers: { [name]: '<mailto:a@example.com>' } })).status).toBe(202);
  });

  test.each([
    [{ topic: 'News' }, 'unsubscribe.topic'],
    [{ topic: 'a b' }, 'unsubscribe.topic'],
    [{ topic: '' }, 'unsubscribe.topic'],
    [{ topic: 'x'.repeat(65) }, 'unsubscribe.topic'],
    [{}, 'unsubscribe.topic'],
    [{ topic: 'a', list: 'b' }, 'unsubscribe.list'],
    ['newsletter', 'unsubscribe'],
    [true, 'unsubscribe'],
  ])('is refused with the value %j', async (unsubscribe, field) => {
    const [status, errors] = await readErrors({ ...email, unsubscribe });
    expect([status, errors[0].field]).toEqual([422, field]);
  });

  test('is refused if the links make a body too long', async () => {
    const [status, errors] = await readErrors({ ...email, text: '{{unsubscribe_url}}'.repeat(20_000) });
    expect([status, errors[0].field]).toEqual([422, 'text']);
    expect(errors[0].message).toMatch(/^is [\d,]+ bytes long with the links for unsubscribing; the limit is 2,000,000/);
  });

  test('is checked with a link that leads nowhere', async () => {
    const { status, body } = await post('/check', email);
    const [url = ''] = /https:\S+/.exec(body.text) ?? [];
    expect([status, body.would_send]).toEqual([200, true]);
    expect(url).toMatch(/^https:\/\/mail\.example\.com\/u\/-+$/);
    await t.api.get(new URL(url).pathname).expect(404);
    const sent = await readMessage((await post('', email)).body.id);
    expect(URL_LINE.exec(sent)?.[1]).toHaveLength(url.length);
    expect(Buffer.byteLength(sent)).toBeLessThanOrEqual(body.size_bytes);
  });

  test('is left to workers that know topics', async () => {
    const { body } = await post('', email);
    const row = await t.ctx.db('deliveries').select('needs').where({ email_id: body.id }).first();
    expect(row.needs).toBe(64);
  });

  test('has a fingerprint of its own', async () => {
    const { unsubscribe, ...without } = email;
    const key = { 'Idempotency-Key': 'news-1' };
    await post('', email, key).expect(202);
    await post('', email, key).expect(202).expect('Idempotent-Replayed', 'true');
    await post('', without, key).expect(409);
  });
});

test('an email without unsubscribe keeps the placeholder as it is and has no headers', async () => {
  const { unsubscribe, ...without } = email;
  const { body } = await post('', without);
  const read = await t.api.get(`/api/v1/emails/${body.id}`).set(t.auth);
  expect([read.body.unsubscribe, read.body.html]).toEqual([null, email.html]);
  expect(await readMessage(body.id)).not.toContain('List-Unsubscribe');
  const row = await t.ctx.db('deliveries').select('needs').where({ email_id: body.id }).first();
  expect(row.needs).toBe(0);
});

test('each email of a batch has its own link', async () => {
  const { body } = await post('/batch', [email, { ...email, to: ['joe@example.com'] }]);
  const urls = await Promise.all(
    body.data.map(async ({ id }: { id: string }) => URL_LINE.exec(await readMessage(id))?.[1]),
  );
  expect(new Set(urls).size).toBe(2);
});
