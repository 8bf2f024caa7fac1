import { openTestApi, type TestApi } from '../open-test-api.js';
import { setLimits } from './usage.js';

const BEFORE = new Date('2026-03-31T23:59:59.999Z');
const AFTER = new Date('2026-04-01T00:00:00.000Z');

let t: TestApi;
let now: Date;

beforeEach(async () => {
  now = BEFORE;
  t = await openTestApi({ now: () => now, ownDatabase: 'it has a clock of its own' });
});

afterEach(() => t.close());

const send = () =>
  t.api
    .post('/api/v1/emails')
    .set(t.auth)
    .send({ to: ['jane@example.com'], subject: 'Hello', text: 'Hi' });

async function usage(): Promise<Record<string, number>> {
  const rows = await t.ctx.db('usage').where({ workspace_id: t.workspace.id });
  return Object.fromEntries(rows.map(({ period, used }) => [period, used]));
}

describe('caps at the end of a day or month', () => {
  test('count a send toward the day and month in which it was accepted, to the millisecond', async () => {
    await setLimits(t, { daily: 1, monthly: 1 });
    await send().expect(202);
    await send().expect(402);
    now = AFTER;
    await send().expect(202);
    await send().expect(402);
    expect(await usage()).toEqual({ '2026-03-31': 1, '2026-03': 1, '2026-04-01': 1, '2026-04': 1 });
  });

  test('credit a canceled send to the day on which it was counted', async () => {
    await setLimits(t, { daily: 1 });
    const { body } = await send().expect(202);
    now = AFTER;
    await t.api.post(`/api/v1/emails/${body.id}/cancel`).set(t.auth).expect(200);
    expect(await usage()).toEqual({ '2026-03-31': 0, '2026-03': 0 });
    await send().expect(202);
    await send().expect(429);
  });

  test('still count the earlier sends of a day if the clock goes back to it', async () => {
    await setLimits(t, { daily: 1 });
    await send().expect(202);
    now = AFTER;
    await send().expect(202);
    now = BEFORE;
    await send().expect(429);
  });
});

test('after caps are lowered below usage, the next send is refused, and remaining is not negative', async () => {
  await t.ctx.db('workspaces').where({ id: t.workspace.id }).update({ plan_id: 'pro' });
  await setLimits(t, { daily: 5 });
  for (let sends = 0; sends < 3; sends += 1) await send().expect(202);
  await t.ctx.db('workspaces').where({ id: t.workspace.id }).update({ plan_id: 'free' });
  await setLimits(t, { daily: 2, monthly: 2 });
  expect((await send()).body).toMatchObject({ code: 'monthly_cap_exceeded' });
  const { body } = await t.api.get('/billing/usage').set(await t.login());
  expect(body).toMatchObject({ daily: { used: 3, remaining: 0 }, monthly: { used: 3, remaining: 0 } });
});
