import { limits } from '@posthorn/domain/limits';
import { countInProcess } from '@posthorn/domain/throttles';
import { routes } from '../../src/app.js';
import { publicRequests } from '../../src/request-steps/count-request.js';
import { countLockWaiters } from '../count-lock-waiters.js';
import { openTestApi, type TestApi } from '../open-test-api.js';

const config = { trustedProxyHops: 1 };

let t: TestApi;

beforeEach(async () => {
  t = await openTestApi({ config });
});

afterEach(() => t.close());

const list = (auth: Record<string, string> = t.auth) => t.api.get('/api/v1/emails').set(auth);
const publicRequest = (address: string) => t.api.get('/docs').set('X-Forwarded-For', address);

/** Leaves `left` requests in the window of a key or user. */
async function useUpTo(left: number, { id, kind = 'requests' }: { id: string; kind?: 'requests' | 'heavyRequests' }) {
  const now = Number((await t.ctx.redis.time())[0]);
  const used = limits[kind].max - left;
  await t.ctx.redis.hset(`{${t.workspace.id}}:requests:${kind}:${id}`, {
    total: used,
    oldest: now,
    [String(now)]: used,
  });
}

describe('requests that send nothing', () => {
  test('count against the limit of their key, and their responses say how many are left', async () => {
    for (const remaining of [599, 598]) {
      const { status, headers } = await list();
      expect(status).toBe(200);
      expect(headers).toMatchObject({ 'ratelimit-limit': '600', 'ratelimit-remaining': String(remaining) });
      expect(Number(headers['ratelimit-reset'])).toBeGreaterThan(0);
    }
  });

  test('get 429 with Retry-After over the limit, whether or not they would have been refused anyway', async () => {
    await useUpTo(2, { id: t.keyId });
    expect((await t.api.get('/api/v1/emails?limit=0').set(t.auth)).status).toBe(422);
    expect((await list()).status).toBe(200);
    const { status, body, headers } = await list();
    expect([status, body.code, headers['ratelimit-remaining']]).toEqual([429, 'rate_limited', '0']);
    expect(body.detail).toContain('600 requests per minute');
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
  });

  test('do not count against the limit for sends, and sends do not count against theirs', async () => {
    await useUpTo(0, { id: t.keyId });
    const email = { to: ['jane@example.com'], subject: 'Hello', text: 'Hi' };
    const { status, headers } = await t.api.post('/api/v1/emails').set(t.auth).send(email);
    expect([status, headers['ratelimit-limit']]).toEqual([202, '60']);
    expect((await list()).status).toBe(429);
  });

  test('have a lower limit if they are heavy', async () => {
    const preview = () => t.api.post('/api/v1/templates/preview').set(t.auth).send({});
    await useUpTo(1, { id: t.keyId, kind: 'heavyRequests' });
    const { status, headers } = await preview();
    expect([status, headers['ratelimit-limit']]).toEqual([422, '120']);
    expect((await preview()).status).toBe(429);
    expect((await list()).status).toBe(200);
  });

  test('have a higher limit in a workspace that may send more', async () => {
    await t.ctx.db('workspaces').where({ id: t.workspace.id }).update({ limit_overrides: '{"rate": 1000}' });
    expect((await list()).headers['ratelimit-limit']).toBe('10000');
  });

  test('share a limit across all sessions of a user', async () => {
    const sessions = [await t.login(), await t.login()];
    const remaining = [];
    for (const session of sessions) remaining.push((await list(session)).headers['ratelimit-remaining']);
    expect(remaining).toEqual(['599', '598']);
  });

  test('are limited by each process on its own while Redis is down', async () => {
    t.ctx.redis.disconnect();
    expect((await list()).headers['ratelimit-remaining']).toBe('599');
    const responses = await Promise.all(Array.from({ length: 600 }, () => list()));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(599);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(1);
  });
});

describe('requests that are refused', () => {
  const getRate = ({ status, headers }: { status: number; headers: Record<string, string> }) => [
    status,
    headers['ratelimit-limit'],
    headers['ratelimit-remaining'],
  ];

  test('count against the limit of their key if it has no access, and get 429 over the limit', async () => {
    const key = { Authorization: `Bearer ${await t.keyWith(['templates:write'])}` };
    expect(getRate(await list(key))).toEqual([403, '600', '599']);
    expect(getRate(await t.api.get('/billing/usage').set(t.auth))).toEqual([401, '600', '599']);
    await useUpTo(1, { id: t.keyId });
    expect(getRate(await t.api.get('/billing/usage').set(t.auth))).toEqual([401, '600', '0']);
    expect((await t.api.get('/billing/usage').set(t.auth)).status).toBe(429);
  });

  test('count against the limit for sends if they would have sent an email', async () => {
    const key = { Authorization: `Bearer ${await t.keyWith(['templates:write'])}` };
    const send = () => t.api.post('/api/v1/emails').set(key).send({});
    expect(getRate(await send())).toEqual([403, '60', '59']);
    const responses = await Promise.all(Array.from({ length: 60 }, send));
    expect(responses.filter(({ status }) => status === 403)).toHaveLength(59);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(1);
  });

  test('count against the limit of their user if only owners have access', async () => {
    const session = await t.login();
    await t.ctx.db('memberships').where({ workspace_id: t.workspace.id }).update({ role: 'member' });
    expect(getRate(await t.api.delete(`/api/v1/domains/${t.keyId}`).set(session))).toEqual([403, '600', '599']);
  });

  test('count against the limit of their IP address if they have no valid credential or path', async () => {
    const from = (address: string) => ({ 'X-Forwarded-For': address });
    const wrongKey = { Authorization: 'Bearer ph_x' };
    expect(getRate(await t.api.get('/api/v1/emails').set(from('198.51.100.1')))).toEqual([401, '600', '599']);
    expect(getRate(await list({ ...from('198.51.100.2'), ...wrongKey }))).toEqual([401, '300', '299']);
    expect(getRate(await t.api.get('/nothing').set(from('198.51.100.3')))).toEqual([404, '600', '599']);
    expect(getRate(await t.api.get('/api/v1/emails/%').set(from('198.51.100.4')))).toEqual([404, '600', '599']);
    expect(getRate(await t.api.put('/api/v1/emails').set(from('198.51.100.5')))).toEqual([405, '600', '599']);
  });

  test('count against the limit of their IP address if another site sends them', async () => {
    const logIn = () =>
      t.api.post('/auth/login').set({ 'X-Forwarded-For': '198.51.100.1', 'Sec-Fetch-Site': 'cross-site' }).send(t.user);
    expect(getRate(await logIn())).toEqual([403, '600', '599']);
    for (let count = 1; count < limits.publicRequests.max; count += 1)
      countInProcess(t.ctx, publicRequests, '198.51.100.1');
    expect((await logIn()).status).toBe(429);
  });
});

describe('requests that need no credential', () => {
  test('count against the limit of their IP address', async () => {
    for (const remaining of ['599', '598'])
      expect((await publicRequest('198.51.100.1')).headers['ratelimit-remaining']).toBe(remaining);
    for (let count = 2; count < limits.publicRequests.max; count += 1)
      countInProcess(t.ctx, publicRequests, '198.51.100.1');
    const { status, body, headers } = await publicRequest('198.51.100.1');
    expect([status, body.code, headers['ratelimit-remaining']]).toEqual([429, 'rate_limited', '0']);
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect((await publicRequest('198.51.100.2')).status).toBe(200);
  });

  test('are refused before their body is read', async () => {
    for (let count = 0; count < limits.publicRequests.max; count += 1)
      countInProcess(t.ctx, publicRequests, '198.51.100.1');
    const login = t.api.post('/auth/login').set('X-Forwarded-For', '198.51.100.1');
    expect((await login.set('Content-Type', 'text/plain').send('x')).status).toBe(429);
  });

  test('run two at a time per IP address if they query the database', async () => {
    await t.close();
    t = await openTestApi({ config, ownDatabase: 'it locks a table' });
    const lookUp = (address: string) =>
      t.api
        .post('/auth/invitation')
        .set('X-Forwarded-For', address)
        .send({ token: 'x'.repeat(43) });
    const responses = await t.ctx.db.transaction(async (trx) => {
      await trx.raw('lock table invitations in access exclusive mode');
      const requests = Array.from({ length: 6 }, () => lookUp('198.51.100.1').then(({ status }) => status));
      while ((await countLockWaiters(t)) < 2) await trx.raw('select pg_sleep(0.01)');
      requests.push(lookUp('198.51.100.2').then(({ status }) => status));
      while ((await countLockWaiters(t)) < 3) await trx.raw('select pg_sleep(0.01)');
      await trx.raw('select pg_sleep(0.2)');
      expect(await countLockWaiters(t)).toBe(3);
      return requests;
    });
    expect(new Set(await Promise.all(responses))).toEqual(new Set([422]));
  });

  test('have no limit if they are health checks', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const { status, headers } = await t.api.get(path);
      expect([status, headers['ratelimit-limit']]).toEqual([200, undefined]);
    }
  });
});

test('only health checks, the files of the docs and the events of providers have no rate limit', () => {
  const unlimited = routes.filter(({ rateLimit }) => rateLimit === 'none');
  // A provider may post thousands of events a minute. The route limits the requests that it refuses.
  const expected = ['/feedback/:token', '/healthz', '/readyz', '/docs/style.css', '/docs/scripts/:file'];
  expect(unlimited.map(({ path }) => path)).toEqual(expected);
});
