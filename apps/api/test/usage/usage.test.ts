import { operator } from '@posthorn/domain/audit-log';
import { setWorkspaceLimits } from '@posthorn/domain/workspaces';
import { openTestApi, type TestApi } from '../open-test-api.js';

describe('GET /billing/usage', () => {
  let t: TestApi;
  beforeEach(async () => {
    t = await openTestApi();
  });
  afterEach(() => t.close());

  const read = async () => t.api.get('/billing/usage').set(await t.login());

  test('shows the full allowance of a new Free workspace', async () => {
    const { status, body } = await read();
    expect(status).toBe(200);
    const now = new Date();
    const monthEnds = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString();
    const dayEnds = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1)).toISOString();
    expect(body).toEqual({
      object: 'usage',
      plan: { id: 'free', name: 'Free', price_usd: 0 },
      monthly: { used: 0, limit: 3_000, remaining: 3_000, resets_at: monthEnds },
      daily: { used: 0, limit: 100, remaining: 100, resets_at: dayEnds },
      overage: { allowed: false, sends: 0, per: 1_000, unit_price_usd: 0, amount_usd: 0 },
      rate_limit: { per_minute: 60 },
      storage: { bytes: expect.any(Number), limit_bytes: 1_000_000_000 },
      test_sends: { used: 0, limit: 1_000 },
      history: expect.any(Array),
    });
    expect(body.history).toHaveLength(31);
    expect(body.history.at(-1)).toEqual({ date: now.toISOString().slice(0, 10), sends: 0 });
  });

  test('counts each recipient of an accepted email', async () => {
    const email = { to: ['a@example.com', 'b@example.com'], cc: ['c@example.com'], subject: 'Hello', text: 'Hello' };
    await t.api.post('/api/v1/emails').set(t.auth).send(email).expect(202);
    const { body } = await read();
    expect(body.monthly).toMatchObject({ used: 3, remaining: 2_997 });
    expect(body.daily).toMatchObject({ used: 3, remaining: 97 });
    expect(body.history.at(-1).sends).toBe(3);
  });

  test("shows the operator's limits, null for no cap, and never a negative remainder", async () => {
    const email = { to: ['a@example.com', 'b@example.com'], subject: 'Hello', text: 'Hello' };
    await t.api.post('/api/v1/emails').set(t.auth).send(email).expect(202);
    await setWorkspaceLimits(t.ctx, operator, t.workspace.id, { monthly: 1, daily: null, rate: 7 });
    const { body } = await read();
    expect(body.monthly).toMatchObject({ used: 2, limit: 1, remaining: 0 });
    expect(body.daily).toMatchObject({ used: 2, limit: null, remaining: null });
    expect(body.rate_limit).toEqual({ per_minute: 7 });
  });

  test('bills overage on Pro in dollars and whole cents', async () => {
    await t.ctx.db('workspaces').where({ id: t.workspace.id }).update({ plan_id: 'pro' });
    const month = new Date().toISOString().slice(0, 7);
    await t.ctx.db('usage').insert({ workspace_id: t.workspace.id, period: month, used: 51_235 });
    const { body } = await read();
    expect(body.plan).toEqual({ id: 'pro', name: 'Pro', price_usd: 20 });
    expect(body.monthly).toMatchObject({ used: 51_235, limit: 50_000, remaining: 0 });
    expect(body.daily).toMatchObject({ limit: null, remaining: null });
    expect(body.overage).toEqual({ allowed: true, sends: 1_235, per: 1_000, unit_price_usd: 1, amount_usd: 1.24 });
  });

  test('can only be called with a session', async () => {
    await t.api.get('/billing/usage').expect(401);
    await t.api.get('/billing/usage').set(t.auth).expect(401);
  });

  test("does not count another workspace's sends", async () => {
    const other = await t.otherTenant();
    await t.api
      .post('/api/v1/emails')
      .set(other.auth)
      .send({ to: ['a@example.com'], subject: 'Hi', text: 'Hi' })
      .expect(202);
    expect((await read()).body.monthly.used).toBe(0);
  });
});
