import type { Event } from '@posthorn/contract';
import { createKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { setPlan, setWorkspaceLimits } from '@posthorn/domain/workspaces';
import { isId, newId } from '@posthorn/platform/values';
import { until } from '@posthorn/testing';
import { openTestApi, type TestApi } from '../open-test-api.js';

let t: TestApi;

beforeEach(async () => {
  t = await openTestApi({ config: { rateLimitPerMinute: 100_000 } });
});

afterEach(() => t.close());

const email = { to: ['jane@example.com'], subject: 'Hello', text: 'Hi' };
const sendBatch = (count: number, auth: Record<string, string> = t.auth) =>
  t.api
    .post('/api/v1/emails/batch')
    .set(auth)
    .send(Array.from({ length: count }, () => email));

const today = () => new Date().toISOString().slice(0, 10);

/**
 * The thresholds that have been reached, such as `2026-11-24 80`, in the order of the log.
 * @param count waits until there are so many, because an event is visible only after older transactions have ended
 */
async function reached(count: number): Promise<string[]> {
  const found = await events(count);
  return found.map(({ data }) => {
    const { period, percent } = data as { period: string; percent: number };
    return `${period} ${percent}`;
  });
}

async function events(count: number): Promise<Event[]> {
  let found: Event[] = [];
  await until(async () => {
    found = (await t.api.get('/api/v1/events?type=usage.threshold').set(t.auth).expect(200)).body.data;
    return found.length >= count;
  });
  return found;
}

test('a Free workspace gets an event at 80 and at 100 of its 100 emails a day', async () => {
  await sendBatch(79).expect(202);
  expect(await reached(0)).toEqual([]);
  await sendBatch(1).expect(202);
  expect(await reached(1)).toEqual([`${today()} 80`]);
  await sendBatch(19).expect(202);
  expect(await reached(1)).toEqual([`${today()} 80`]);
  await sendBatch(1).expect(202);
  expect(await reached(2)).toEqual([`${today()} 80`, `${today()} 100`]);
});

test('the id of the event begins with the time, as all ids do', async () => {
  const before = newId();
  await sendBatch(100).expect(202);
  const ids = (await events(2)).map(({ id }) => id);
  expect(new Set(ids).size).toBe(2);
  for (const id of ids) {
    expect(isId(id)).toBe(true);
    expect(id > before && id < newId()).toBe(true);
  }
});

test('one batch can reach both, and a refused one reaches none', async () => {
  await sendBatch(50).expect(202);
  await sendBatch(51).expect(429);
  expect(await reached(0)).toEqual([]);
  await sendBatch(50).expect(202);
  expect((await reached(2)).sort()).toEqual([`${today()} 100`, `${today()} 80`]);
});

test('reaching a threshold again after a refund is no second event', async () => {
  const { body } = await sendBatch(80).expect(202);
  for (const { id } of body.data.slice(0, 10)) await t.api.post(`/api/v1/emails/${id}/cancel`).set(t.auth).expect(200);
  await sendBatch(30).expect(202);
  expect((await reached(2)).sort()).toEqual([`${today()} 100`, `${today()} 80`]);
});

test('many simultaneous requests reach each threshold once', async () => {
  await Promise.all(Array.from({ length: 20 }, () => sendBatch(5).expect(202)));
  expect((await reached(2)).sort()).toEqual([`${today()} 100`, `${today()} 80`]);
});

test('test mail does not count', async () => {
  const fields = { name: 'T', scopes: ['emails:send' as const, 'emails:read' as const], expiresAt: null };
  const key = await createKey(t.ctx, operator, t.workspace.id, { ...fields, mode: 'test' });
  const auth = { Authorization: `Bearer ${key.text}` };
  await sendBatch(100, auth).expect(202);
  await sendBatch(100, auth).expect(202);
  expect(await reached(0)).toEqual([]);
  const { body } = await t.api.get('/api/v1/events?type=usage.threshold').set(auth).expect(200);
  expect(body.data).toEqual([]);
});

test('the plan decides what a month includes, even if more can be sent', async () => {
  await setPlan(t.ctx, operator, t.workspace.id, 'pro');
  await setWorkspaceLimits(t.ctx, operator, t.workspace.id, { monthly: 10 });
  await sendBatch(8).expect(202);
  await sendBatch(5).expect(202);
  const month = today().slice(0, 7);
  expect(await reached(2)).toEqual([`${month} 80`, `${month} 100`]);
  expect((await events(2))[1]?.data).toMatchObject({ used: 13, limit: 10 });
});

test('a limit that is lowered below what was sent is reached at once, each threshold once', async () => {
  await sendBatch(15).expect(202);
  expect(await reached(0)).toEqual([]);
  await setWorkspaceLimits(t.ctx, operator, t.workspace.id, { daily: 16 });
  expect(await reached(1)).toEqual([`${today()} 80`]);
  await setWorkspaceLimits(t.ctx, operator, t.workspace.id, { daily: 12 });
  expect((await reached(2)).sort()).toEqual([`${today()} 100`, `${today()} 80`]);
  await setWorkspaceLimits(t.ctx, operator, t.workspace.id, { daily: 10 });
  expect(await reached(2)).toHaveLength(2);
});
