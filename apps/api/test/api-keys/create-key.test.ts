import { inspect } from 'node:util';
import { limits } from '@posthorn/domain/limits';
import type { Log } from '@posthorn/platform/logs';
import { openTestApi, type TestApi } from '../open-test-api.js';

describe('POST /api/v1/api-keys', () => {
  let t: TestApi;
  let session: { Cookie: string };
  beforeAll(async () => {
    t = await openTestApi();
    session = await t.login();
  });
  afterAll(() => t.close());

  const create = (body: object) => t.api.post('/api/v1/api-keys').set(session).send(body);

  test('creates a key that works, and shows it only once', async () => {
    const { status, body } = await create({ name: 'CI', scopes: ['emails:send', 'templates:write'] });
    expect(status).toBe(201);
    expect(body).toEqual({
      object: 'api_key',
      id: expect.any(String),
      name: 'CI',
      mode: 'live',
      hint: body.key.slice(-4),
      scopes: ['emails:send', 'templates:write'],
      domain_ids: null,
      networks: null,
      created_at: expect.stringMatching(/Z$/),
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
      key: expect.stringMatching(/^ph_[0-9A-Za-z]{60}$/),
    });
    await t.api.get('/api/v1/templates').set('Authorization', `Bearer ${body.key}`).expect(200);
    const list = await t.api.get('/api/v1/api-keys').set(session);
    expect(list.text).not.toContain(body.key);
    expect(list.text).not.toContain('"key"');
  });

  test.each([
    ['name', { scopes: ['emails:send'] }],
    ['name', { name: '', scopes: ['emails:send'] }],
    ['name', { name: 'x'.repeat(limits.keyName.max + 1), scopes: ['emails:send'] }],
    ['scopes', { name: 'CI' }],
    ['scopes', { name: 'CI', scopes: [] }],
    ['scopes[0]', { name: 'CI', scopes: ['emails:write'] }],
    ['scopes[1]', { name: 'CI', scopes: ['emails:send', 'emails:send'] }],
    ['expires_at', { name: 'CI', scopes: ['emails:send'], expires_at: '2020-01-01T00:00:00Z' }],
    ['expires_at', { name: 'CI', scopes: ['emails:send'], expires_at: '2099-01-01' }],
    ['domain_ids', { name: 'CI', scopes: ['emails:send'], domain_ids: [] }],
    ['domain_ids[0]', { name: 'CI', scopes: ['emails:send'], domain_ids: ['example.com'] }],
    ['domain_ids[0]', { name: 'CI', scopes: ['emails:send'], domain_ids: ['0198c5d2-7e3a-7b41-9c06-52f1e8a4d370'] }],
    ['networks[0]', { name: 'CI', scopes: ['emails:send'], networks: ['10.0.0.0/33'] }],
    ['networks[1]', { name: 'CI', scopes: ['emails:send'], networks: ['192.0.2.7', '192.0.2.7/32'] }],
    ['scope', { name: 'CI', scopes: ['emails:send'], scope: 'x' }],
  ])('says what is wrong with %s in %j', async (field, body) => {
    const { status, body: problem } = await create(body);
    expect([status, problem.errors]).toEqual([422, [{ field, message: expect.any(String) }]]);
  });

  test('counts as a heavy request, of which a user can send 120 a minute', async () => {
    const { headers } = await create({});
    expect(headers['ratelimit-limit']).toBe('120');
  });

  test('requires an owner session; refuses members and keys', async () => {
    const body = { name: 'CI', scopes: ['emails:send'] };
    await t.api.post('/api/v1/api-keys').set(t.auth).send(body).expect(401);
    await t.api.post('/api/v1/api-keys').send(body).expect(401);
    await t.ctx.db('memberships').where({ workspace_id: t.workspace.id }).update({ role: 'member' });
    const { status, body: problem } = await create(body);
    expect([status, problem.code]).toEqual([403, 'owner_required']);
    await t.ctx.db('memberships').where({ workspace_id: t.workspace.id }).update({ role: 'owner' });
  });

  test.each([
    ['a line break', 'a\nb', 'line breaks'],
    ['a character that changes the direction of text', 'a\u202eb', 'direction of text'],
  ])('refuses a name with %s', async (_what, name, message) => {
    const { status, body } = await create({ name, scopes: ['emails:send'] });
    expect([status, body.errors]).toEqual([422, [{ field: 'name', message: expect.stringContaining(message) }]]);
  });

  test('refuses a request from another site', async () => {
    const body = { name: 'CI', scopes: ['emails:send'] };
    await t.api.post('/api/v1/api-keys').set(session).set('Sec-Fetch-Site', 'same-site').send(body).expect(403);
  });

  test('refuses keys over the maximum until one is revoked', async () => {
    const other = await openTestApi();
    const cookie = await other.login();
    const [first] = (await other.api.get('/api/v1/api-keys').set(cookie)).body.data;
    const make = () =>
      other.api
        .post('/api/v1/api-keys')
        .set(cookie)
        .send({ name: 'CI', scopes: ['emails:send'] });
    for (let made = 1; made < limits.keys.max; made += 1) await make().expect(201);
    const { status, body } = await make();
    expect([status, body.code, body.detail]).toEqual([
      409,
      'conflict',
      expect.stringContaining(String(limits.keys.max)),
    ]);
    await other.api.delete(`/api/v1/api-keys/${first.id}`).set(cookie).expect(200);
    await make().expect(201);
    await other.close();
  });

  test('never stores the key in the database, in Redis or in the log', async () => {
    const lines: string[] = [];
    const write = (fields: object, event: string) => void lines.push(`${event} ${inspect(fields, { depth: 10 })}`);
    const log: Log = { debug: write, info: write, warn: write, error: write };
    const watched = await openTestApi({ log, ownDatabase: 'it reads every row of every table' });
    const { body } = await watched.api
      .post('/api/v1/api-keys')
      .set(await watched.login())
      .send({ name: 'Canary', scopes: ['emails:send'] });
    const auth = { Authorization: `Bearer ${body.key}` };
    const email = { to: ['ada@example.com'], subject: 'Hi', text: 'Hi' };
    await watched.api.post('/api/v1/emails').set(auth).set('Idempotency-Key', 'one').send(email).expect(202);
    await watched.api.get(`/api/v1/templates?key=${body.key}`).set(auth);
    await watched.api.post('/api/v1/templates').set(auth).send({}).expect(403);
    await watched.api
      .get(`/api/v1/emails/${body.key}`)
      .set({ Authorization: `Bearer x${body.key}` })
      .expect(401);
    watched.ctx.log.info({}, 'the_log_is_watched');
    const secret = body.key.slice(25, 57);
    const copies = [await dumpDatabase(watched), await dumpRedis(watched), lines.join('\n')];
    expect(copies.map((copy) => copy.includes(secret))).toEqual([false, false, false]);
    expect(copies.map((copy) => copy.length > 0)).toEqual([true, true, true]);
    expect(copies[0]).toContain('Canary');
    await watched.close();
  });
});

async function dumpDatabase({ ctx }: TestApi): Promise<string> {
  const tables = await ctx.db('pg_tables').select('tablename').where({ schemaname: 'public' });
  const dumps = tables.map(async ({ tablename }) => {
    const { rows } = await ctx.db.raw('select t::text as line from ?? as t', [tablename]);
    return rows.map(({ line }: { line: string }) => line).join('\n');
  });
  return (await Promise.all(dumps)).join('\n');
}

async function dumpRedis({ ctx }: TestApi): Promise<string> {
  const names = await ctx.redis.keys('*');
  const values = names.map(async (name) => `${name} ${(await ctx.redis.dumpBuffer(name))?.toString('latin1')}`);
  return (await Promise.all(values)).join('\n');
}
