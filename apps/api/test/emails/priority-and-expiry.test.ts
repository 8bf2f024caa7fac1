import { openTestApi, type TestApi } from '../open-test-api.js';

let t: TestApi;

beforeAll(async () => {
  t = await openTestApi({ config: { rateLimitPerMinute: 1_000 } });
});

afterAll(() => t.close());

const HOUR_MS = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();

const send = (fields: object) =>
  t.api
    .post('/api/v1/emails')
    .set(t.auth)
    .send({ to: ['a@example.com'], subject: 'Hi', text: 'Hi', ...fields });

const read = async (id: string) => (await t.api.get(`/api/v1/emails/${id}`).set(t.auth).expect(200)).body;

describe('priority', () => {
  test.each(['high', 'normal', 'bulk'])('%s is stored and shown', async (priority) => {
    const { body } = await send({ priority }).expect(202);
    expect(await read(body.id)).toMatchObject({ priority });
  });

  test('is normal by default', async () => {
    const { body } = await send({}).expect(202);
    expect(await read(body.id)).toMatchObject({ priority: 'normal', expires_at: null });
  });

  test('normal is equivalent to no priority, so a retry that adds it gets the first response', async () => {
    const key = { 'Idempotency-Key': 'same request' };
    const first = await send({}).set(key).expect(202);
    const second = await send({ priority: 'normal' }).set(key).expect(202);
    expect(second.text).toBe(first.text);
    expect((await send({ priority: 'high' }).set(key)).status).toBe(409);
  });

  test('with any other value is refused', async () => {
    const { status, body } = await send({ priority: 'urgent' });
    expect([status, body.errors[0].field]).toEqual([422, 'priority']);
    expect(body.errors[0].message).toContain('high');
  });
});

describe('expires_at', () => {
  test('is stored and shown', async () => {
    const expires_at = inHours(1);
    const { body } = await send({ expires_at }).expect(202);
    expect(await read(body.id)).toMatchObject({ expires_at });
  });

  test.each([
    [{ expires_at: inHours(-1) }, 'must be after the email is due'],
    [{ expires_at: inHours(73) }, 'must be at most 72 hours after'],
    [{ scheduled_at: inHours(2), expires_at: inHours(1) }, 'must be after the email is due'],
    [{ scheduled_at: inHours(2), expires_at: inHours(75) }, 'must be at most 72 hours after'],
  ])('of %j is refused', async (fields, message) => {
    const { status, body } = await send(fields);
    expect([status, body.errors[0].field]).toEqual([422, 'expires_at']);
    expect(body.errors[0].message).toContain(message);
  });

  test('may be up to 72 hours after scheduled_at, and the email cannot be rescheduled beyond it', async () => {
    const expires_at = inHours(100);
    const { body } = await send({ scheduled_at: inHours(29), expires_at }).expect(202);
    const reschedule = (hours: number) =>
      t.api
        .patch(`/api/v1/emails/${body.id}`)
        .set(t.auth)
        .send({ scheduled_at: inHours(hours) });
    const refused = await reschedule(101);
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, 'scheduled_at']);
    expect(refused.body.errors[0].message).toContain(expires_at);
    expect((await reschedule(99)).status).toBe(200);
  });
});
