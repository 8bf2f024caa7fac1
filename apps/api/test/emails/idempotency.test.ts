import { setTimeout as sleep } from 'node:timers/promises';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { sendRaw } from '../send-raw.js';
import { countEmails, readUsage, setLimits } from './usage.js';

let t: TestApi;

beforeEach(async () => {
  t = await openTestApi();
});

afterEach(() => t.close());

/** The keys in Redis that this tenant's idempotency keys have. */
const keysInRedis = () => t.ctx.redis.keys(`*{${t.workspace.id}}:idem:*`);

const email = { to: ['jane@example.com'], subject: 'Code', text: '123456' };

function sendWith(key: string, body: object = email, auth: Record<string, string> = t.auth) {
  return t.api.post('/api/v1/emails').set(auth).set('Idempotency-Key', key).send(body);
}

/** Redis learns about the response after it is sent. */
async function untilKnown(): Promise<void> {
  const isKnown = async () => {
    const [key] = await keysInRedis();
    return key !== undefined && (await t.ctx.redis.hexists(key, 'stored')) === 1;
  };
  while (!(await isKnown())) await sleep(10);
}

describe('Idempotency-Key', () => {
  test('tells large requests apart by their last character', async () => {
    const large = { ...email, text: 'x'.repeat(300_000) };
    const first = await sendWith('large', large);
    expect((await sendWith('large', large)).text).toBe(first.text);
    const other = await sendWith('large', { ...large, text: `${'x'.repeat(299_999)}y` });
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_key_reused']);
    expect(await countEmails(t)).toBe(1);
  });

  test('a repeated key returns the first response again, byte for byte, and sends nothing', async () => {
    const first = await sendWith('order-1');
    const second = await sendWith('order-1');
    expect(first.status).toBe(202);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect(second.status).toBe(202);
    expect(second.text).toBe(first.text);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(await countEmails(t)).toBe(1);
    expect(await readUsage(t)).toEqual({ month: 1, day: 1 });
  });

  test('the same fields in a different order are the same request', async () => {
    const first = await sendWith('order-1');
    const second = await sendWith('order-1', { text: '123456', subject: 'Code', to: ['jane@example.com'] });
    expect(second.text).toBe(first.text);
  });

  test('40 parallel requests with one key get identical responses and create one email', async () => {
    const responses = await Promise.all(Array.from({ length: 40 }, () => sendWith('order-2')));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(39);
    expect(await countEmails(t)).toBe(1);
    expect(await readUsage(t)).toEqual({ month: 1, day: 1 });
  });

  test('a key survives the loss of all data in Redis', async () => {
    const first = await sendWith('order-3');
    await t.ctx.redis.flushdb();
    const responses = await Promise.all(Array.from({ length: 40 }, () => sendWith('order-3')));
    expect(new Set(responses.map(({ text }) => text))).toEqual(new Set([first.text]));
    expect(await countEmails(t)).toBe(1);
  });

  test('40 parallel first requests create one email even if Redis loses all data in the meantime', async () => {
    const sends = Array.from({ length: 40 }, () => sendWith('order-4'));
    await Promise.all(Array.from({ length: 5 }, () => t.ctx.redis.flushdb()));
    const responses = await Promise.all(sends);
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(await countEmails(t)).toBe(1);
  });

  test.each([false, true])('the same key with a different request gets 409 (Redis flushed: %s)', async (flushed) => {
    await sendWith('order-5');
    if (flushed) await t.ctx.redis.flushdb();
    const other = await sendWith('order-5', { ...email, text: '654321' });
    expect(other.status).toBe(409);
    expect(other.body.code).toBe('idempotency_key_reused');
    expect(await countEmails(t)).toBe(1);
  });

  test('a 409 from the accept transaction also has the rate limit headers', async () => {
    await sendWith('order-5');
    await t.ctx.redis.flushdb();
    const unknownTemplate = { to: email.to, template_id: '019aa5f2-3c00-7d11-8a6e-2f1c4b7d9e01' };
    const { status, body, headers } = await sendWith('order-5', unknownTemplate);
    expect([status, body.code]).toEqual([409, 'idempotency_key_reused']);
    expect(headers['ratelimit-limit']).toBe('60');
  });

  test('a replay succeeds even when a cap is exhausted', async () => {
    await setLimits(t, { daily: 1 });
    const first = await sendWith('order-6');
    expect((await sendWith('order-7')).status).toBe(429);
    expect((await sendWith('order-6')).text).toBe(first.text);
    await t.ctx.redis.flushdb();
    expect((await sendWith('order-6')).text).toBe(first.text);
  });

  test('a replay with a key that Redis has forgotten does not count against the caps', async () => {
    await setLimits(t, { daily: 2 });
    const first = await sendWith('order-12');
    await untilKnown();
    await t.ctx.redis.del(await keysInRedis());
    expect((await sendWith('order-12')).text).toBe(first.text);
    expect((await sendWith('order-13')).status).toBe(202);
    expect((await sendWith('order-14')).status).toBe(429);
  });

  test('Redis holds no part of a response, and a response that Postgres has lost is not replayed', async () => {
    const first = await sendWith('order-15');
    await untilKnown();
    const [key = ''] = await keysInRedis();
    expect(JSON.stringify(await t.ctx.redis.hgetall(key))).not.toContain('jane@example.com');
    await t.ctx.db('idempotency_keys').where({ workspace_id: t.workspace.id }).delete();
    const second = await sendWith('order-15');
    expect(second.status).toBe(202);
    expect(second.headers['idempotent-replayed']).toBeUndefined();
    expect(second.text).not.toBe(first.text);
  });

  test('refusals are not remembered: the key can be used for a corrected request', async () => {
    expect((await sendWith('order-8', { ...email, to: ['nobody'] })).status).toBe(422);
    expect(
      (await sendWith('order-8', { ...email, subject: undefined, text: undefined, template_id: 'none' })).status,
    ).toBe(404);
    await setLimits(t, { daily: 0 });
    expect((await sendWith('order-8')).status).toBe(429);
    await setLimits(t, { daily: 10 });
    expect((await sendWith('order-8')).status).toBe(202);
  });

  test('two workspaces can use the same key', async () => {
    const other = await t.otherTenant();
    const [ours, theirs] = [await sendWith('order-9'), await sendWith('order-9', email, other.auth)];
    expect(ours.status).toBe(202);
    expect(theirs.status).toBe(202);
    expect(theirs.text).not.toBe(ours.text);
  });

  test('the key belongs to the workspace, so a retry with other credentials does not send twice', async () => {
    const first = await sendWith('order-10');
    const session = await t.login();
    const second = await sendWith('order-10', email, session);
    expect(second.text).toBe(first.text);
  });

  test.each(['', 'é', 'a\tb', 'x'.repeat(257)])('the key %j is refused with 400', async (key) => {
    const response = await sendWith(Buffer.from(key).toString('latin1'));
    expect(response.status).toBe(400);
    expect(response.body.code).toBe('invalid_idempotency_key');
  });

  test('a request with two keys is refused, because it is ambiguous', async () => {
    const body = JSON.stringify(email);
    const lines = [
      'POST /api/v1/emails HTTP/1.1',
      'Host: localhost',
      `Authorization: ${t.auth.Authorization}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Connection: close',
      'Idempotency-Key: a',
      'Idempotency-Key: b',
    ];
    const response = await sendRaw(t.url, `${lines.join('\r\n')}\r\n\r\n${body}`);
    expect(response.status).toBe(400);
    expect(response.body).toContain('invalid_idempotency_key');
  });

  test('a key of 256 printable characters is accepted', async () => {
    expect((await sendWith('x'.repeat(256))).status).toBe(202);
  });

  test('a key can be used again after 24 hours', async () => {
    const first = await sendWith('order-11');
    await untilKnown();
    await t.ctx.redis.flushdb();
    await t.ctx
      .db('idempotency_keys')
      .where({ workspace_id: t.workspace.id })
      .update({ expires_at: new Date(Date.now() - 1_000) });
    const second = await sendWith('order-11');
    expect(second.status).toBe(202);
    expect(second.text).not.toBe(first.text);
    expect(await countEmails(t)).toBe(2);
  });
});
