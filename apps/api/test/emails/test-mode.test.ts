import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { type Scope, scopes } from '@posthorn/contract';
import { createKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { createDomain, markDomainVerified } from '@posthorn/domain/domains';
import { setWorkspaceLimits } from '@posthorn/domain/workspaces';
import PostalMime from 'postal-mime';
import { newDomainName } from '../new-domain-name.js';
import { openTestApi, type TestApi } from '../open-test-api.js';

let t: TestApi;
let testKey: { Authorization: string };

const email = { to: ['jane@example.com'], subject: 'Invoice', html: '<p>Hi</p>', text: 'Hi' };

async function testKeyWith(keyScopes: readonly Scope[], workspaceId = t.workspace.id) {
  const fields = { name: 'Test mode', scopes: [...keyScopes], mode: 'test' as const, expiresAt: null };
  return (await createKey(t.ctx, operator, workspaceId, fields)).text;
}

beforeEach(async () => {
  t = await openTestApi();
  testKey = { Authorization: `Bearer ${await testKeyWith(scopes)}` };
});

afterEach(() => t.close());

const send = (auth: Record<string, string>, body: object = email, headers: Record<string, string> = {}) =>
  t.api.post('/api/v1/emails').set(auth).set(headers).send(body);

const listIds = ({ body }: { body: { data: Array<{ id: string }> } }) => body.data.map(({ id }) => id);

describe('a test key', () => {
  test('begins with ph_test_, and its mode is shown', async () => {
    const session = await t.login();
    const created = await t.api
      .post('/api/v1/api-keys')
      .set(session)
      .send({ name: 'CI', scopes: ['emails:send'], mode: 'test' });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ mode: 'test', key: expect.stringMatching(/^ph_test_[0-9A-Za-z]{60}$/) });
    const { body } = await t.api.get('/api/v1/api-keys').set(session);
    expect(body.data.map(({ mode }: { mode: string }) => mode)).toEqual(['test', 'test', 'live']);
  });

  test.each([
    ['test mode', 'sandbox', 422],
    ['a live key', 'live', 201],
  ])('can be created only with a mode that exists: %s', async (_, mode, status) => {
    const body = { name: 'CI', scopes: ['emails:send'], mode };
    const response = await t.api
      .post('/api/v1/api-keys')
      .set(await t.login())
      .send(body);
    expect(response.status).toBe(status);
    if (status === 422) expect(response.body.errors[0].field).toBe('mode');
  });

  test('cannot be turned into a live key by changing its prefix and checksum', async () => {
    const text = testKey.Authorization.slice('Bearer ph_test_'.length, -6);
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    let checksum = '';
    for (let rest = crc32(`ph_${text}`); rest > 0; rest = Math.floor(rest / 62))
      checksum = digits.charAt(rest % 62) + checksum;
    const forged = { Authorization: `Bearer ph_${text}${checksum.padStart(6, '0')}` };
    expect((await send(forged)).status).toBe(401);
    expect((await send(testKey)).status).toBe(202);
  });
});

describe('test mail', () => {
  test('is seen by test keys and by sessions that ask for it, and by nobody else', async () => {
    const { body: mail } = await send(testKey);
    const { body: live } = await send(t.auth);
    expect([mail.mode, live.mode]).toEqual(['test', 'live']);

    expect(listIds(await t.api.get('/api/v1/emails').set(testKey))).toEqual([mail.id]);
    expect(listIds(await t.api.get('/api/v1/emails?mode=test').set(testKey))).toEqual([mail.id]);
    expect(listIds(await t.api.get('/api/v1/emails').set(t.auth))).toEqual([live.id]);
    const session = await t.login();
    expect(listIds(await t.api.get('/api/v1/emails').set(session))).toEqual([live.id]);
    expect(listIds(await t.api.get('/api/v1/emails?mode=test').set(session))).toEqual([mail.id]);

    for (const path of ['', '/attempts', '/events', '/message']) {
      const statusWith = async (auth: Record<string, string>) =>
        (await t.api.get(`/api/v1/emails/${mail.id}${path}`).set(auth)).status;
      expect([await statusWith(testKey), await statusWith(session), await statusWith(t.auth)]).toEqual([200, 200, 404]);
      expect((await t.api.get(`/api/v1/emails/${live.id}${path}`).set(testKey)).status).toBe(404);
    }
    expect((await t.api.post(`/api/v1/emails/${mail.id}/cancel`).set(t.auth)).status).toBe(404);
    expect((await t.api.get(`/api/v1/emails/${mail.id}`).set(session)).body.mode).toBe('test');
    const canceled = await t.api.post(`/api/v1/emails/${mail.id}/cancel`).set(session);
    expect(canceled.body).toMatchObject({ mode: 'test', status: 'canceled' });

    const other = await t.otherTenant();
    const stranger = { Authorization: `Bearer ${await testKeyWith(scopes, other.workspace.id)}` };
    expect((await t.api.get(`/api/v1/emails/${mail.id}`).set(stranger)).status).toBe(404);
    expect(listIds(await t.api.get('/api/v1/emails').set(stranger))).toEqual([]);
  });

  test('is not listed for a key of the other mode, and the error says why', async () => {
    const { status, body } = await t.api.get('/api/v1/emails?mode=test').set(t.auth);
    expect(status).toBe(422);
    expect(body.errors).toEqual([
      { field: 'mode', message: 'is test, but this is a live key. Use a test key, or leave it out' },
    ]);
    expect((await t.api.get('/api/v1/emails?mode=both').set(t.auth)).body.errors[0].field).toBe('mode');
  });

  test('is an empty list in a workspace that never had a test key', async () => {
    const other = await t.otherTenant();
    const login = await t.api.post('/auth/login').send(other.user);
    const session = { Cookie: login.get('Set-Cookie')?.[0]?.split(';')[0] ?? '' };
    expect(listIds(await t.api.get('/api/v1/emails?mode=test').set(session))).toEqual([]);
  });

  test('is not counted, and no cap applies to it', async () => {
    await setWorkspaceLimits(t.ctx, operator, t.workspace.id, { daily: 1 });
    for (const _ of [1, 2, 3]) expect((await send(testKey)).status).toBe(202);
    expect((await send(t.auth)).status).toBe(202);
    expect((await send(t.auth)).body.code).toBe('daily_cap_exhausted');
    expect((await send(testKey)).status).toBe(202);
    const { body: usage } = await t.api.get('/billing/usage').set(await t.login());
    expect(usage.daily).toMatchObject({ used: 1, limit: 1 });
    const { body: check } = await t.api.post('/api/v1/emails/check').set(testKey).send(email);
    expect(check).toMatchObject({ would_send: true, remaining: { daily: 0 } });
    const { body: stats } = await t.api.get('/api/v1/emails/stats').set(t.auth);
    expect(stats.emails).toBe(1);
  });

  test('has idempotency keys of its own', async () => {
    const key = { 'Idempotency-Key': 'order-7' };
    const [mail, live] = [await send(testKey, email, key), await send(t.auth, email, key)];
    expect(mail.body.id).not.toBe(live.body.id);
    const again = await send(testKey, email, key);
    expect([again.body.id, again.headers['idempotent-replayed']]).toEqual([mail.body.id, 'true']);
    expect((await send(testKey, { ...email, subject: 'Other' }, key)).body.code).toBe('idempotency_key_reused');
  });

  test('uses the templates and the sender of the workspace', async () => {
    const template = { name: 'Hello', subject: 'Hi {{name}}', html_body: '<p>{{name}}</p>', text_body: '{{name}}' };
    const { body: created } = await t.api.post('/api/v1/templates').set(t.auth).send(template);
    const request = { to: email.to, template_id: created.id, template_vars: { name: 'Jane' } };
    const { status, body } = await send(testKey, request);
    expect([status, body.subject, body.from_]).toEqual([202, 'Hi Jane', `${t.workspace.slug}@posthorn.localhost`]);
    const { body: read } = await t.api.get(`/api/v1/emails/${body.id}`).set(testKey);
    expect(read).toMatchObject({ html: '<p>Jane</p>', template_id: created.id });
    expect(listIds(await t.api.get(`/api/v1/emails?template_id=${created.id}`).set(testKey))).toEqual([body.id]);
  });
});

describe('the message of an email', () => {
  async function read(id: string, auth: Record<string, string>) {
    const response = await t.api
      .get(`/api/v1/emails/${id}/message`)
      .set(auth)
      .buffer(true)
      .parse((stream, done) => {
        const pieces: Buffer[] = [];
        stream.on('data', (piece) => pieces.push(piece));
        stream.on('end', () => done(null, Buffer.concat(pieces)));
      });
    return { response, message: await PostalMime.parse(response.body) };
  }

  test('is what a worker sends: signed, with its attachments', async () => {
    const file = Buffer.alloc(2_500_000, 'All of it. ');
    const attachments = [{ filename: 'a.txt', content: file.toString('base64') }];
    const { body } = await send(testKey, { ...email, attachments });
    const { response, message } = await read(body.id, testKey);
    expect(response.headers).toMatchObject({
      'content-type': 'message/rfc822',
      'content-length': String(response.body.length),
      'content-disposition': `attachment; filename="${body.id}.eml"`,
    });
    expect(message).toMatchObject({ subject: 'Invoice', text: expect.stringMatching(/^Hi\s*$/) });
    expect(Buffer.from(message.attachments[0]?.content as ArrayBuffer).equals(file)).toBe(true);
    expect(message.headers.some(({ key }) => key === 'dkim-signature')).toBe(true);
  });

  test('can be read by two requests at once, even if the memory suffices for only one', async () => {
    const attachments = [{ filename: 'a.bin', content: Buffer.alloc(4_000_000, 'x').toString('base64') }];
    const { body } = await send(testKey, { ...email, attachments });
    const both = await Promise.all([read(body.id, testKey), read(body.id, testKey)]);
    expect(both.map(({ response }) => response.status)).toEqual([200, 200]);
    const { status } = await t.api.get(`/api/v1/emails/${body.id}`).set(testKey);
    expect(status).toBe(200);
  });

  test('can be read by six requests at once, not counting CSV exports', async () => {
    const attachments = [{ filename: 'a.bin', content: Buffer.alloc(4_000_000, 'x').toString('base64') }];
    const { body } = await send(testKey, { ...email, attachments });
    const requests = Array.from({ length: 7 }, () =>
      httpRequest(`${t.url}/api/v1/emails/${body.id}/message`, { headers: testKey })
        .on('error', () => undefined)
        .end(),
    );
    const refused = await new Promise<IncomingMessage>((resolve) => {
      for (const request of requests)
        request.on('response', (response) => (response.statusCode === 200 ? response.pause() : resolve(response)));
    });
    expect([refused.statusCode, JSON.parse(await text(refused)).detail]).toEqual([
      429,
      'You reached the limit of 6 simultaneous reads of whole messages. Retry in 10 seconds.',
    ]);
    expect((await t.api.get('/api/v1/emails?format=csv').set(testKey)).status).toBe(200);
    for (const request of requests) request.destroy();
    const { status } = await t.api.get(`/api/v1/emails/${body.id}`).set(testKey);
    expect(status).toBe(200);
  });

  test('of live mail is shown only to sessions', async () => {
    const { body } = await send(t.auth);
    const { response, message } = await read(body.id, await t.login());
    expect([response.status, message.subject]).toEqual([200, 'Invoice']);
    const refused = await t.api.get(`/api/v1/emails/${body.id}/message`).set(t.auth);
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      403,
      'missing_scope',
      'API keys can read the messages of test mail only. Use a session to read the message of a live email.',
    ]);
  });

  test('needs a key that may read content', async () => {
    const { body } = await send(testKey);
    const sending = { Authorization: `Bearer ${await testKeyWith(['emails:send'])}` };
    const refused = await t.api.get(`/api/v1/emails/${body.id}/message`).set(sending);
    expect([refused.status, refused.body.code]).toEqual([403, 'missing_scope']);
  });

  test('cannot be built while an attachment cannot be read', async () => {
    const attachments = [{ filename: 'a.txt', content: Buffer.from('A file.').toString('base64') }];
    const { body } = await send(testKey, { ...email, attachments });
    const { workspace_id } = await t.ctx.db('emails').where({ id: body.id }).first('workspace_id');
    await t.ctx.db('blob_parts').where({ workspace_id }).delete();
    const unread = await t.api.get(`/api/v1/emails/${body.id}/message`).set(testKey);
    expect([unread.status, unread.body.code]).toEqual([503, 'unavailable']);
  });

  test('cannot be built once the content is gone', async () => {
    const { body } = await send(testKey);
    await t.ctx.db('email_contents').where({ email_id: body.id }).delete();
    const gone = await t.api.get(`/api/v1/emails/${body.id}/message`).set(testKey);
    expect([gone.status, gone.body.detail]).toEqual([
      409,
      'The content of the email is no longer stored, so the message cannot be built again.',
    ]);
  });

  test('cannot be built once its sending domain is deleted', async () => {
    const name = newDomainName('acme');
    const domain = await createDomain(t.ctx, operator, t.workspace.id, name);
    await markDomainVerified(t.ctx, domain.id);
    const { body } = await send(testKey, { ...email, from_: `shop@${name}` });
    await t.api
      .delete(`/api/v1/domains/${domain.id}`)
      .set(await t.login())
      .expect(200);
    const gone = await t.api.get(`/api/v1/emails/${body.id}/message`).set(testKey);
    expect([gone.status, gone.body.code]).toEqual([409, 'conflict']);
    expect(gone.body.detail).toMatch(
      new RegExp(`${name.replace('.', '\\.')}.*, so the message cannot be built again\\.$`),
    );
  });
});

describe('addresses of the simulator', () => {
  test.each([
    ['to', 0],
    ['cc', 1],
    ['bcc', 0],
  ])('are refused in %s if the simulator does not have them', async (kind, index) => {
    const addresses =
      index === 1 ? ['joe@example.com', 'spam@simulator.posthorn.localhost'] : ['spam+1@simulator.posthorn.localhost'];
    for (const auth of [t.auth, testKey]) {
      const { status, body } = await send(auth, { ...email, [kind]: addresses });
      expect(status).toBe(422);
      expect(body.errors).toEqual([
        {
          field: `${kind}[${index}]`,
          message: expect.stringContaining(
            'but the simulator at simulator.posthorn.localhost only has delivered@, bounced@, deferred@, complained@, suppressed@',
          ),
        },
      ]);
    }
  });

  test('are named by the position that the client gave them', async () => {
    const spam = 'spam@simulator.posthorn.localhost';
    const twice = { ...email, to: ['a@x.example', 'A@x.example', spam] };
    const across = { ...email, to: ['a@x.example'], cc: ['a@x.example', 'b@x.example', 'b@x.example', spam] };
    const later = { ...email, to: ['a@x.example'], bcc: [spam, 'a@x.example', 'a@x.example'] };
    const readField = async (body: object) => (await send(t.auth, body)).body.errors[0].field;
    expect(await readField(twice)).toBe('to[2]');
    expect(await readField(across)).toBe('cc[3]');
    expect(await readField(later)).toBe('bcc[0]');
    const { body } = await t.api.post('/api/v1/emails/batch').set(t.auth).send([email, across]);
    expect(body.errors.map(({ field }: { field: string }) => field)).toEqual(['[1].cc[3]']);
  });

  test('count like any other address in live mode', async () => {
    const { status } = await send(t.auth, { ...email, to: ['delivered+a@simulator.posthorn.localhost'] });
    expect(status).toBe(202);
    const { body: usage } = await t.api.get('/billing/usage').set(await t.login());
    expect(usage.daily.used).toBe(1);
  });
});
