import { openSecondInstance } from '../open-second-instance.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { sendRaw } from '../send-raw.js';
import { countEmails } from './usage.js';

let t: TestApi;

beforeEach(async () => {
  t = await openTestApi({ config: { rateLimitPerMinute: 5 } });
});

afterEach(() => t.close());

const email = { to: ['jane@example.com'], subject: 'Hello', text: 'Hi' };

function send(body: object | string = email, auth: Record<string, string> = t.auth) {
  return t.api.post('/api/v1/emails').set(auth).set('Content-Type', 'application/json').send(body);
}

describe('rate limit', () => {
  test('sends over the limit get 429 with Retry-After, however many arrive at the same time', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => send()));
    expect(responses.filter(({ status }) => status === 202)).toHaveLength(5);
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(15);
    for (const { body, headers } of refused) {
      expect(body.code).toBe('rate_limited');
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
      expect(headers['ratelimit-remaining']).toBe('0');
    }
    expect(await countEmails(t)).toBe(5);
  });

  test('RateLimit-Remaining counts down', async () => {
    const remaining = [];
    for (let i = 0; i < 6; i += 1) remaining.push((await send()).headers['ratelimit-remaining']);
    expect(remaining).toEqual(['4', '3', '2', '1', '0', '0']);
  });

  test('requests with refused bodies count, and get 429 once the limit is reached', async () => {
    for (let i = 0; i < 5; i += 1) expect((await send({ ...email, to: [] })).status).toBe(422);
    expect((await send({ ...email, to: [] })).status).toBe(429);
    expect((await send('{"to":')).status).toBe(429);
    expect((await send()).status).toBe(429);
  });

  test('a request with an invalid Idempotency-Key counts too, and its response has rate limit headers', async () => {
    const sendWith = () => send().set('Idempotency-Key', 'x'.repeat(300));
    for (let i = 0; i < 5; i += 1) {
      const { status, headers } = await sendWith();
      expect([status, headers['ratelimit-limit']]).toEqual([400, '5']);
    }
    expect((await sendWith()).status).toBe(429);
  });

  test('a client over its limit is refused before it has sent its body', async () => {
    for (let i = 0; i < 5; i += 1) await send();
    const head = `POST /api/v1/emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${t.key}\r\n`;
    const response = await sendRaw(
      t.url,
      `${head}Connection: close\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`,
    );
    expect(response.status).toBe(429);
    expect(response.headers).toMatch(/RateLimit-Remaining: 0/i);
  });

  test('a client over its limit is refused without asking Redis, until its window may have room again', async () => {
    for (let i = 0; i < 5; i += 1) await send();
    t.ctx.redis.disconnect();
    const { status, headers } = await send();
    expect(status).toBe(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(50);
  });

  test('invalid requests that arrive at the same time are validated only up to the limit', async () => {
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => send({ ...email, to: [] })))).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => status === 422)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(15);
  });

  test('all sessions of a user share one limit', async () => {
    const sessions = [await t.login(), await t.login(), await t.login(), await t.login()];
    const statuses: number[] = [];
    for (const session of [...sessions, ...sessions]) statuses.push((await send(email, session)).status);
    expect(statuses.filter((status) => status === 202)).toHaveLength(5);
    expect(statuses.slice(5)).toEqual([429, 429, 429]);
  });

  test('each key and each user has its own limit', async () => {
    for (let i = 0; i < 5; i += 1) await send();
    expect((await send()).status).toBe(429);
    expect((await send(email, { Authorization: `Bearer ${await t.keyWith(['emails:send'])}` })).status).toBe(202);
    expect((await send(email, await t.login())).status).toBe(202);
  });

  test('the window slides: sends are accepted again as the oldest second drops out', async () => {
    for (let i = 0; i < 5; i += 1) await send();
    const key = `{${t.workspace.id}}:rate:${t.keyId}`;
    const [now] = await t.ctx.redis.time();
    const minuteAgo = Number(now) - 60;
    await t.ctx.redis
      .multi()
      .del(key)
      .hset(key, { total: 5, oldest: minuteAgo, [minuteAgo]: 2, [Number(now)]: 3 })
      .exec();
    // The first process remembers that the window was full.
    const second = await openSecondInstance(t);
    const statuses: number[] = [];
    for (let i = 0; i < 3; i += 1)
      statuses.push((await second.api.post('/api/v1/emails').set(t.auth).send(email)).status);
    expect(statuses).toEqual([202, 202, 429]);
    await second.close();
  });
});

describe('the rate limit of a workspace', () => {
  const createAuth = async () => ({ Authorization: `Bearer ${await t.keyWith(['emails:send', 'emails:read'])}` });
  const createKeys = (count: number) => Promise.all(Array.from({ length: count }, createAuth));

  /** Sends `each` emails with every key, one key after another. */
  async function sendWithAll(keys: ReadonlyArray<Record<string, string>>, each: number) {
    const responses = [];
    for (const auth of keys) for (let count = 0; count < each; count += 1) responses.push(await send(email, auth));
    return responses;
  }

  test('is ten times that of a key, however many keys there are', async () => {
    const responses = await sendWithAll(await createKeys(12), 5);
    expect(responses.filter(({ status }) => status === 202)).toHaveLength(50);
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(10);
    for (const { body, headers } of refused) {
      expect(body.detail).toContain('50 emails of all keys and users of the workspace together per minute');
      expect(headers).toMatchObject({ 'ratelimit-limit': '50', 'ratelimit-remaining': '0' });
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
  });

  test('holds when the keys send at the same time, and through several processes', async () => {
    const keys = await createKeys(14);
    const second = await openSecondInstance(t);
    const results = await Promise.all(
      keys.flatMap((auth, index) =>
        Array.from({ length: 5 }, () => (index % 2 ? t : second).api.post('/api/v1/emails').set(auth).send(email)),
      ),
    );
    expect(results.filter(({ status }) => status === 202)).toHaveLength(50);
    await second.close();
  });

  test('is not reset when keys are revoked and created', async () => {
    const keys = await createKeys(10);
    await sendWithAll(keys, 5);
    await t.ctx.db('api_keys').where({ workspace_id: t.workspace.id }).update({ revoked_at: new Date() });
    const second = await openSecondInstance(t);
    const fresh = await createAuth();
    expect((await second.api.post('/api/v1/emails').set(fresh).send(email)).status).toBe(429);
    await second.close();
  });

  test('leaves the headers to the key, unless the workspace has less room', async () => {
    const keys = await createKeys(11);
    const [first] = await sendWithAll(keys.slice(0, 1), 1);
    expect(first?.headers).toMatchObject({ 'ratelimit-limit': '5', 'ratelimit-remaining': '4' });
    await sendWithAll(keys.slice(1, 10), 5);
    const [last] = await sendWithAll(keys.slice(10), 1);
    expect([last?.status, last?.headers['ratelimit-limit'], last?.headers['ratelimit-remaining']]).toEqual([
      202,
      '50',
      '3',
    ]);
  });

  test('does not affect other workspaces', async () => {
    await sendWithAll(await createKeys(10), 5);
    expect((await send(email, (await t.otherTenant()).auth)).status).toBe(202);
  });

  test('also exists for requests that send nothing', async () => {
    const [limit] = [600 * 10];
    const key = `{${t.workspace.id}}:requests:requests`;
    const [now] = await t.ctx.redis.time();
    await t.ctx.redis.hset(key, { total: limit - 1, oldest: Number(now), [Number(now)]: limit - 1 });
    const read = async () => t.api.get('/api/v1/emails').set(await createAuth());
    expect((await read()).status).toBe(200);
    const { status, body, headers } = await read();
    expect([status, headers['ratelimit-limit']]).toEqual([429, '6000']);
    expect(body.detail).toContain('6,000 requests of all keys and users of the workspace together per minute');
  });

  test('is kept by each process while Redis is unreachable', async () => {
    const other = await openTestApi({ config: { rateLimitPerMinute: 2, redisUrl: 'redis://127.0.0.1:1' } });
    const keys = await Promise.all(Array.from({ length: 12 }, () => other.keyWith(['emails:send'])));
    const statuses: number[] = [];
    for (const key of keys)
      for (const _ of [1, 2])
        statuses.push(
          (await other.api.post('/api/v1/emails').set('Authorization', `Bearer ${key}`).send(email)).status,
        );
    expect(statuses.filter((status) => status === 202)).toHaveLength(20);
    await other.close();
  });
});
