import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { startRedis } from '@posthorn/servers';
import { readUsage } from '../emails/usage.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { acceptWithLink, ONE_CLICK, readSuppressions } from '../unsubscribe/links.js';

let t: TestApi;
let dataDir: string;
let redis: Awaited<ReturnType<typeof startRedis>>;

const email = { to: ['jane@example.com'], subject: 'Hello', text: 'Hi' };

const send = (headers: object = {}) =>
  t.api
    .post('/api/v1/emails')
    .set({ ...t.auth, ...headers })
    .send(email);

/** Polls /readyz, whose answer may be a second old, until it reports this status of Redis. */
async function untilRedisIs(health: object): Promise<{ status: number; body: { status: string } }> {
  for (;;) {
    const response = await t.api.get('/readyz');
    if (isDeepStrictEqual({ ...response.body.redis, ...health }, response.body.redis)) return response;
    await sleep(20);
  }
}

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'posthorn-redis-'));
  redis = await startRedis({ dataDir });
});

afterEach(async () => {
  await t.close();
  await redis.stop();
  await rm(dataDir, { recursive: true, force: true });
});

describe('while Redis is unavailable', () => {
  test('email is accepted using Postgres alone, and idempotency keys and caps still work', async () => {
    t = await openTestApi({ config: { redisUrl: redis.url } });
    const first = await send({ 'Idempotency-Key': 'k1' });
    await redis.kill();
    expect((await send({ 'Idempotency-Key': 'k1' })).text).toBe(first.text);
    await t.ctx.db('workspaces').where({ id: t.workspace.id }).update({ limit_overrides: '{"daily": 4}' });
    await sleep(600);
    const responses = await Promise.all(Array.from({ length: 10 }, () => send()));
    expect(responses.filter(({ status }) => status === 202)).toHaveLength(3);
    expect(responses.filter(({ body }) => body.code === 'daily_cap_exhausted')).toHaveLength(7);
    expect(await readUsage(t)).toEqual({ month: 4, day: 4 });
  });

  test('an unsubscribe link works', async () => {
    t = await openTestApi({ config: { redisUrl: redis.url } });
    const { path } = await acceptWithLink(t);
    await redis.kill();
    await t.api.get(path).expect(200);
    await t.api.post(path).type('form').send(ONE_CLICK).expect(200);
    expect(await readSuppressions(t)).toHaveLength(1);
  });

  test('each process enforces the rate limit on its own', async () => {
    t = await openTestApi({ config: { redisUrl: redis.url, rateLimitPerMinute: 3 } });
    await redis.kill();
    const responses = [];
    for (let i = 0; i < 5; i += 1) responses.push(await send());
    expect(responses.map(({ status }) => status)).toEqual([202, 202, 202, 429, 429]);
    expect(responses.map(({ headers }) => headers['ratelimit-limit'])).toEqual(['3', '3', '3', '3', '3']);
    expect(responses.map(({ headers }) => headers['ratelimit-remaining'])).toEqual(['2', '1', '0', '0', '0']);
  });

  test('a process counts every email of a batch', async () => {
    t = await openTestApi({ config: { redisUrl: redis.url, rateLimitPerMinute: 3 } });
    await redis.kill();
    const email = { to: ['jane@example.com'], subject: 'Hello', text: 'Hi' };
    const sendBatch = (count: number) => t.api.post('/api/v1/emails/batch').set(t.auth).send(Array(count).fill(email));
    const statuses = [];
    for (const count of [2, 1, 1]) statuses.push((await sendBatch(count)).status);
    expect(statuses).toEqual([202, 202, 429]);
  });

  test('an email gets 503 with Retry-After instead if REDIS_DOWN_MODE is refuse', async () => {
    t = await openTestApi({ config: { redisUrl: redis.url, redisDownMode: 'refuse' } });
    await redis.kill();
    const { status, body, headers } = await send();
    expect(status).toBe(503);
    expect(body.code).toBe('unavailable');
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(await readUsage(t)).toEqual({ month: 0, day: 0 });
    expect((await untilRedisIs({ reachable: false })).status).toBe(503);
  });

  test('the admission check works again once Redis is back', async () => {
    t = await openTestApi({ config: { redisUrl: redis.url } });
    await redis.kill();
    expect((await send()).status).toBe(202);
    redis = await startRedis({ dataDir, port: redis.port });
    const isBack = () => t.ctx.redis.status === 'ready';
    while (!isBack()) await sleep(20);
    const { headers } = await send();
    expect(headers['ratelimit-remaining']).toBe('59');
    await untilRedisIs({ reachable: true });
  });
});

describe('a misconfigured Redis', () => {
  const configure = async (name: string, value: string | number) => void (await t.ctx.redis.config('SET', name, value));

  test('with an eviction policy is logged as a warning at startup and reported by /readyz', async () => {
    const warnings: string[] = [];
    const ignore = () => {};
    const log = {
      debug: ignore,
      info: ignore,
      error: ignore,
      warn: (_: object, event: string) => warnings.push(event),
    };
    t = await openTestApi({ config: { redisUrl: redis.url }, log });
    await untilRedisIs({ reachable: true, evicts: false, full: false });
    expect(warnings).toEqual([]);
    await configure('maxmemory-policy', 'allkeys-lru');
    t.ctx.redis.disconnect(true);
    while (warnings.length === 0) await sleep(20);
    expect(warnings).toEqual(['redis_may_evict']);
    await untilRedisIs({ evicts: true });
  });

  test('with too little memory is bypassed: email is accepted using Postgres alone', async () => {
    t = await openTestApi({ config: { redisUrl: redis.url } });
    await configure('maxmemory', 1);
    for (let i = 0; i < 3; i += 1) expect((await send({ 'Idempotency-Key': 'k1' })).status).toBe(202);
    expect((await untilRedisIs({ full: true })).body.status).toBe('ready');
    expect(await readUsage(t)).toEqual({ month: 1, day: 1 });
  });
});
