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
