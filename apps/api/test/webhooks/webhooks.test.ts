import { createKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { newId } from '@posthorn/platform/values';
import { openTestApi, type TestApi } from '../open-test-api.js';

let t: TestApi;

beforeEach(async () => {
  t = await openTestApi({ config: { webhookAllowedNetworks: ['127.0.0.0/8'] } });
});

afterEach(() => t.close());

const path = '/api/v1/webhooks';
const valid = { url: 'http://127.0.0.1:9/hook', events: ['email.sent', 'email.bounced'] };

const create = (body: object = valid, auth: Record<string, string> = t.auth) => t.api.post(path).set(auth).send(body);

test('a webhook is created with a secret that no later response contains', async () => {
  const created = await create({ ...valid, description: 'Shop' }).expect(201);
  const { secret, ...webhook } = created.body;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(webhook).toMatchObject({ object: 'webhook', ...valid, description: 'Shop', status: 'enabled', mode: 'live' });
  const shown = await t.api.get(`${path}/${webhook.id}`).set(t.auth).expect(200);
  expect(shown.body).toEqual(webhook);
  const list = await t.api.get(path).set(t.auth).expect(200);
  expect(list.body.data).toEqual([webhook]);
  expect(JSON.stringify([shown.body, list.body])).not.toContain('whsec_');
  const stored = await t.ctx.db('webhook_secrets').where({ webhook_id: webhook.id }).first();
  expect(stored.secret.toString('latin1')).not.toContain(secret.slice('whsec_'.length));
});

test.each([
  [{ events: ['email.sent'] }, 'url'],
  [{ url: valid.url }, 'events'],
  [{ ...valid, events: [] }, 'events'],
  [{ ...valid, events: ['sent'] }, 'events[0]'],
  [{ ...valid, events: ['webhook.test'] }, 'events[0]'],
  [{ ...valid, events: ['email.sent', 'email.sent'] }, 'events[1]'],
  [{ ...valid, url: 'ftp://example.com' }, 'url'],
  [{ ...valid, url: 'example.com' }, 'url'],
  [{ ...valid, url: 'https://10.0.0.1/' }, 'url'],
  [{ ...valid, url: 'https://[::1]/' }, 'url'],
  [{ ...valid, url: 'https://169.254.169.254/latest/meta-data' }, 'url'],
  [{ ...valid, url: 'https://0x0a000001/' }, 'url'],
  [{ ...valid, domain_ids: ['x'] }, 'domain_ids[0]'],
  [{ ...valid, domain_ids: [newId()] }, 'domain_ids[0]'],
  [{ ...valid, tags: ['no value'] }, 'tags[0]'],
  [{ ...valid, secret: 'mine' }, 'secret'],
  [{ ...valid, url: 'https://1.1.1.1:0/' }, 'url'],
  [{ ...valid, url: 'https://@1.1.1.1/' }, 'url'],
  [{ ...valid, description: 'x'.repeat(501) }, 'description'],
  [{ ...valid, description: 'a\r\nb' }, 'description'],
  [{ ...valid, description: 'a\u202eb' }, 'description'],
])('%j is refused, and the error names the field', async (body, field) => {
  const response = await create(body);
  expect([response.status, response.body.errors?.[0]?.field]).toEqual([422, field]);
});

test('a description can have 500 characters, whatever their size in bytes, or none', async () => {
  const { body } = await create({ ...valid, description: '漢'.repeat(500) }).expect(201);
  const changed = await t.api.patch(`${path}/${body.id}`).set(t.auth).send({ description: '' }).expect(200);
  expect(changed.body.description).toBe('');
});

test('the URL is stored as requests use it', async () => {
  const { body } = await create({ ...valid, url: 'HTTP://１２７.1:9/Hook' }).expect(201);
  expect(body.url).toBe('http://127.0.0.1:9/Hook');
  const changed = await t.api.patch(`${path}/${body.id}`).set(t.auth).send({ url: 'HTTP://127.1:9' }).expect(200);
  expect(changed.body.url).toBe('http://127.0.0.1:9');
});

test('the error says why webhook.test cannot be chosen', async () => {
  const { body } = await create({ ...valid, events: ['webhook.test'] }).expect(422);
  expect(body.errors[0].message).toMatch(
    /^must be one of: email\.accepted, .*\. webhook\.test cannot be chosen, because/,
  );
});

test('an update changes only the given fields', async () => {
  const { body: webhook } = await create();
  const { body } = await t.api
    .patch(`${path}/${webhook.id}`)
    .set(t.auth)
    .send({ status: 'disabled', tags: ['kind:receipt'] })
    .expect(200);
  expect(body).toMatchObject({ ...valid, status: 'disabled', tags: ['kind:receipt'], disabled_because: null });
  const refused = await t.api.patch(`${path}/${webhook.id}`).set(t.auth).send({ url: 'https://192.168.0.1/' });
  expect(refused.status).toBe(422);
  expect((await t.api.patch(`${path}/${webhook.id}`).set(t.auth).send({})).status).toBe(422);
});

test('a deleted webhook is gone, with its secrets and deliveries', async () => {
  const { body: webhook } = await create();
  await t.api.post(`${path}/${webhook.id}/test`).set(t.auth).expect(202);
  await t.api.delete(`${path}/${webhook.id}`).set(t.auth).expect(200);
  await t.api.get(`${path}/${webhook.id}`).set(t.auth).expect(404);
  for (const table of ['webhook_secrets', 'webhook_states', 'webhook_deliveries'])
    expect(await t.ctx.db(table).where({ webhook_id: webhook.id })).toEqual([]);
});

test('rotating the secret keeps the old one for the overlap', async () => {
  const { body: webhook } = await create();
  const rotate = (body?: object) => t.api.post(`${path}/${webhook.id}/rotate-secret`).set(t.auth).send(body);
  const { body } = await rotate({ overlap_seconds: 60 }).expect(200);
  expect(body.secret).toMatch(/^whsec_/);
  expect(body.secret).not.toBe(webhook.secret);
  expect(await t.ctx.db('webhook_secrets').where({ webhook_id: webhook.id })).toHaveLength(2);
  await rotate().expect(200);
  await rotate().expect(200);
  await rotate().expect(200);
  const refused = await rotate();
  expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
  await rotate({ overlap_seconds: 604_801 }).expect(422);
});

test('a rotation shows until when old secrets are valid, and none stays valid for longer than its overlap', async () => {
  const { body: webhook } = await create();
  const rotate = async (overlap_seconds: number) =>
    (await t.api.post(`${path}/${webhook.id}/rotate-secret`).set(t.auth).send({ overlap_seconds }).expect(200)).body;
  const secondsLeft = (body: { old_secrets_expire_at: string }) =>
    Math.round((Date.parse(body.old_secrets_expire_at) - Date.now()) / 60_000) * 60;
  const first = await rotate(86_400);
  expect(first.updated_at > webhook.updated_at).toBe(true);
  expect(secondsLeft(first)).toBe(86_400);
  const { body: shown } = await t.api.get(`${path}/${webhook.id}`).set(t.auth);
  expect(shown).toEqual({ ...first, secret: undefined });
  expect(secondsLeft(await rotate(604_800))).toBe(604_800);
  expect(secondsLeft(await rotate(3_600))).toBe(3_600);
  const { old_secrets_expire_at } = await rotate(0);
  const secrets = await t.ctx.db('webhook_secrets').where({ webhook_id: webhook.id });
  expect([old_secrets_expire_at, secrets]).toMatchObject([null, [{ expires_at: null }]]);
});

test('a filter keeps the domains that it has after they are deleted, but takes no others', async () => {
  const { body: domain } = await t.api.post('/api/v1/domains').set(t.auth).send({ name: 'shop.example' }).expect(201);
  const { body: webhook } = await create({ ...valid, domain_ids: [domain.id] }).expect(201);
  await t.api.delete(`/api/v1/domains/${domain.id}`).set(t.auth).expect(200);
  const change = (domain_ids: string[]) => t.api.patch(`${path}/${webhook.id}`).set(t.auth).send({ domain_ids });
  await change([domain.id]).expect(200);
  const { body } = await change([domain.id, newId()]).expect(422);
  expect(body.errors[0].field).toBe('domain_ids[1]');
});

test('a test event is listed among the deliveries', async () => {
  const { body: webhook } = await create();
  const { body } = await t.api.post(`${path}/${webhook.id}/test`).set(t.auth).expect(202);
  const deliveries = await t.api.get(`${path}/${webhook.id}/deliveries`).set(t.auth).expect(200);
  expect(deliveries.body.data).toMatchObject([
    { object: 'webhook_delivery', id: body.event_id, status: 'pending', attempts: [], event: { type: 'webhook.test' } },
  ]);
  const [{ body: sent, event }] = deliveries.body.data;
  expect(JSON.parse(sent)).toEqual({
    type: 'webhook.test',
    timestamp: event.created_at,
    data: { webhook_id: webhook.id, sequence: 1 },
  });
  const failed = await t.api.get(`${path}/${webhook.id}/deliveries?status=failed`).set(t.auth).expect(200);
  expect(failed.body.data).toEqual([]);
});

test('replaying counts the events, and refuses what cannot be replayed', async () => {
  const { body: webhook } = await create();
  const { body: test } = await t.api.post(`${path}/${webhook.id}/test`).set(t.auth);
  const replay = (body: object) => t.api.post(`${path}/${webhook.id}/replay`).set(t.auth).send(body);
  expect((await replay({ event_id: test.event_id }).expect(202)).body).toEqual({ object: 'webhook_replay', events: 1 });
  expect((await replay({ failed: true }).expect(202)).body.events).toBe(0);
  const [from, to] = [2, 1].map((hours) => new Date(Date.now() - hours * 3_600_000).toISOString());
  expect((await replay({ from, to }).expect(202)).body.events).toBe(0);
  await replay({ event_id: newId() }).expect(404);
  await replay({ event_id: '0190163d-8694-739b-aea5-966c26f8ad90' }).expect(404);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  expect((await replay({ from: tomorrow, to: '2999-01-01T00:00:00Z' }).expect(422)).body.errors).toEqual([
    { field: 'from', message: 'must not be in the future' },
  ]);
  expect((await replay({ to }).expect(422)).body.errors).toEqual([
    { field: 'to', message: 'must be sent together: give both from and to' },
  ]);
  expect((await replay({ failed: true, from, to }).expect(422)).body.errors).toMatchObject([
    { message: 'cannot be combined: send only one of event_id, failed, or from with to' },
  ]);
  for (const body of [{}, { from }, { to }, { failed: false }, { failed: true, from, to }, { from: to, to: from }])
    await replay(body).expect(422);
  const old = new Date(Date.now() - 29 * 86_400_000).toISOString();
  expect((await replay({ from: old, to }).expect(422)).body.detail).toBe(
    'from is more than 28 days ago, and older events cannot be replayed. Choose a later time, and read older events with GET /api/v1/events.',
  );
  await t.api.patch(`${path}/${webhook.id}`).set(t.auth).send({ status: 'disabled' });
  await replay({ failed: true }).expect(409);
  await t.api.post(`${path}/${webhook.id}/test`).set(t.auth).expect(409);
});

test('a key needs webhooks:write', async () => {
  const auth = { Authorization: `Bearer ${await t.keyWith(['emails:send', 'emails:read'])}` };
  const response = await create(valid, auth);
  expect([response.status, response.body.code]).toEqual([403, 'missing_scope']);
});

test('another workspace gets the same 404 as for an unknown id, on every route', async () => {
  const { body: webhook } = await create();
  const { auth } = await t.otherTenant();
  for (const id of [webhook.id, newId(), 'x']) {
    const responses = [
      await t.api.get(`${path}/${id}`).set(auth),
      await t.api.patch(`${path}/${id}`).set(auth).send({ status: 'disabled' }),
      await t.api.delete(`${path}/${id}`).set(auth),
      await t.api.post(`${path}/${id}/test`).set(auth),
      await t.api.post(`${path}/${id}/rotate-secret`).set(auth),
      await t.api.get(`${path}/${id}/deliveries`).set(auth),
      await t.api.post(`${path}/${id}/replay`).set(auth).send({ failed: true }),
    ];
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 404));
  }
  expect((await t.api.get(path).set(auth)).body.data).toEqual([]);
});

test('webhooks for test mail are apart, and a session sees both', async () => {
  const fields = { name: 'T', scopes: ['webhooks:write' as const], mode: 'test' as const, expiresAt: null };
  const session = await t.login();
  expect((await create({ ...valid, mode: 'test' }, session)).status).toBe(409);
  const key = await createKey(t.ctx, operator, t.workspace.id, fields);
  const auth = { Authorization: `Bearer ${key.text}` };
  const { body: webhook } = await create(valid, auth).expect(201);
  expect(webhook.mode).toBe('test');
  await t.api.get(`${path}/${webhook.id}`).set(t.auth).expect(404);
  await t.api.get(`${path}/${webhook.id}`).set(session).expect(200);
  expect((await t.api.get(`${path}?mode=test`).set(session)).body.data).toHaveLength(1);
  expect((await t.api.get(path).set(session)).body.data).toEqual([]);
});

test('a workspace can have 50 webhooks', async () => {
  for (let count = 0; count < 50; count += 1) await create().expect(201);
  const response = await create();
  expect([response.status, response.body.code]).toEqual([409, 'conflict']);
});
