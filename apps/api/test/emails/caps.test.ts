import { openTestApi, type TestApi } from '../open-test-api.js';
import { readUsage, setLimits } from './usage.js';

let t: TestApi;

beforeEach(async () => {
  t = await openTestApi();
});

afterEach(() => t.close());

function sendTo(to: string[]) {
  return t.api.post('/api/v1/emails').set(t.auth).send({ to, subject: 'Hello', text: 'Hi' });
}

function count(responses: Array<{ status: number }>, status: number): number {
  return responses.filter((response) => response.status === status).length;
}

describe('caps', () => {
  test('of 60 parallel sends with a daily cap of 20, exactly 20 are accepted', async () => {
    await setLimits(t, { daily: 20, rate: 1_000 });
    const responses = await Promise.all(Array.from({ length: 60 }, (_, i) => sendTo([`p${i}@example.com`])));
    expect(count(responses, 202)).toBe(20);
    expect(count(responses, 429)).toBe(40);
    const refused = responses.find((response) => response.status === 429);
    expect(refused?.body).toMatchObject({ code: 'daily_cap_exhausted', status: 429, title: 'Daily cap exhausted' });
    expect(refused?.body.detail).toContain('daily cap of 20');
    expect(refused?.headers['retry-after']).toBeUndefined();
    expect(refused?.body.resets_at).toMatch(/T00:00:00\.000Z$/);
    expect(await readUsage(t)).toEqual({ month: 20, day: 20 });
  });

  test('requests over a monthly cap are refused as a whole with 402, however many arrive at once', async () => {
    await setLimits(t, { monthly: 21, daily: null, rate: 1_000 });
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, i) => sendTo([`a${i}@example.com`, `b${i}@example.com`])),
    );
    expect(count(responses, 202)).toBe(10);
    expect(count(responses, 402)).toBe(30);
    expect(responses.find((response) => response.status === 402)?.body.code).toBe('monthly_cap_exceeded');
    expect(await readUsage(t)).toEqual({ month: 20, day: 20 });
    expect((await sendTo(['one@example.com'])).status).toBe(202);
    expect((await sendTo(['two@example.com'])).status).toBe(402);
  });

  test('the caps hold when Redis loses all data during concurrent sends', async () => {
    await setLimits(t, { daily: 15, rate: 1_000 });
    const sends = Array.from({ length: 60 }, (_, i) => sendTo([`f${i}@example.com`]));
    const flushes = Array.from({ length: 5 }, () => t.ctx.redis.flushdb());
    const responses = await Promise.all(sends);
    await Promise.all(flushes);
    expect(count(responses, 202)).toBe(15);
    expect(await readUsage(t)).toEqual({ month: 15, day: 15 });
  });

  test('when both caps are exhausted, the 402 for the monthly cap takes precedence', async () => {
    await setLimits(t, { monthly: 1, daily: 1 });
    expect((await sendTo(['a@example.com'])).status).toBe(202);
    expect((await sendTo(['b@example.com'])).status).toBe(402);
  });

  test('every recipient in to, cc and bcc counts once, and duplicates do not count', async () => {
    const response = await t.api
      .post('/api/v1/emails')
      .set(t.auth)
      .send({
        to: ['a@example.com', 'A@Example.com'],
        cc: ['b@example.com', 'a@example.com'],
        bcc: ['c@example.com'],
        subject: 'Hello',
        text: 'Hi',
      });
    expect(response.status).toBe(202);
    expect(await readUsage(t)).toEqual({ month: 3, day: 3 });
  });

  test('the Pro plan can exceed its monthly sends, up to the overage cap if there is one', async () => {
    await t.ctx.db('workspaces').where({ id: t.workspace.id }).update({ plan_id: 'pro' });
    await setLimits(t, { monthly: 1 });
    expect((await sendTo(['a@example.com'])).status).toBe(202);
    expect((await sendTo(['b@example.com'])).status).toBe(202);
    await setLimits(t, { monthly: 1, overage: 2 });
    expect((await sendTo(['c@example.com'])).status).toBe(202);
    const refused = await sendTo(['d@example.com']);
    expect(refused.status).toBe(402);
    expect(refused.body.detail).toContain('monthly cap of 3');
  });
});
