import { openTestApi, type TestApi } from '../open-test-api.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

describe('a session', () => {
  let t: TestApi;
  let now: Date;
  beforeEach(async () => {
    now = new Date('2026-03-01T12:00:00.000Z');
    t = await openTestApi({ now: () => now, ownDatabase: 'it has a clock of its own' });
  });
  afterEach(() => t.close());

  const wait = (ms: number) => {
    now = new Date(now.getTime() + ms);
  };
  const look = async (headers: Record<string, string>) => (await t.api.get('/auth/session').set(headers)).status;

  test('is required: a request with a missing, unknown or malformed cookie is unauthenticated', async () => {
    for (const cookie of [
      '',
      'posthorn_session=',
      `posthorn_session=${'A'.repeat(43)}`,
      'posthorn_session=%00%ff;;=',
    ]) {
      const { status, body } = await t.api.get('/auth/session').set('Cookie', cookie);
      expect([status, body.code]).toEqual([401, 'unauthenticated']);
    }
  });

  test('is ignored when there is an Authorization header, valid or not', async () => {
    const session = await t.login();
    expect(await look({ ...session, ...t.auth })).toBe(401);
    expect(await look({ ...session, Authorization: 'Bearer nonsense' })).toBe(401);
    await t.api
      .get('/api/v1/emails')
      .set({ ...session, Authorization: 'Bearer nonsense' })
      .expect(401);
    const other = await t.otherTenant();
    const email = { to: ['ada@example.com'], subject: 'Hi', text: 'Hi' };
    const { body } = await t.api
      .post('/api/v1/emails')
      .set({ ...session, ...other.auth })
      .send(email);
    expect(body.from_).toContain(other.workspace.slug);
  });

  test('ends after seven days without use', async () => {
    const session = await t.login();
    wait(7 * DAY_MS - 1);
    expect(await look(session)).toBe(200);
    await untilSeen(now);
    wait(7 * DAY_MS - 1);
    expect(await look(session)).toBe(200);
    await untilSeen(now);
    wait(7 * DAY_MS);
    expect(await look(session)).toBe(401);
  });

  test('ends after thirty days, even if it is used', async () => {
    const session = await t.login();
    for (let days = 0; days < 29; days += 1) {
      wait(DAY_MS);
      expect(await look(session)).toBe(200);
      await untilSeen(now);
    }
    wait(DAY_MS - 1);
    expect(await look(session)).toBe(200);
    wait(1);
    expect(await look(session)).toBe(401);
  });

  test('records when it was last seen, at most once a minute', async () => {
    const session = await t.login();
    const loggedInAt = now;
    wait(MINUTE_MS - 1);
    expect(await look(session)).toBe(200);
    await t.ctx.db.raw('select pg_sleep(0.1)');
    expect(await lastSeen()).toEqual(loggedInAt);
    wait(1);
    expect(await look(session)).toBe(200);
    await untilSeen(now);
  });

  test('is deleted by the next login once it has ended', async () => {
    await t.login();
    wait(8 * DAY_MS);
    await t.login();
    expect(await t.ctx.db('sessions')).toHaveLength(1);
  });

  test('reflects role and membership changes immediately', async () => {
    const session = await t.login();
    const createKey = () =>
      t.api
        .post('/api/v1/api-keys')
        .set(session)
        .send({ name: 'CI', scopes: ['emails:send'] });
    await createKey().expect(201);
    await t.ctx.db('memberships').where({ workspace_id: t.workspace.id }).update({ role: 'member' });
    expect((await createKey()).body.code).toBe('owner_required');
    await t.ctx.db('memberships').where({ workspace_id: t.workspace.id }).delete();
    expect(await look(session)).toBe(401);
  });

  async function lastSeen(): Promise<Date> {
    const [row] = await t.ctx.db('sessions').select('last_seen_at').orderBy('last_seen_at', 'desc');
    return row.last_seen_at;
  }

  /** Polls, because the time is stored only after the response is sent. */
  async function untilSeen(at: Date): Promise<void> {
    while ((await lastSeen()).getTime() !== at.getTime()) await t.ctx.db.raw('select pg_sleep(0.01)');
  }
});
