import { countLockWaiters } from '../count-lock-waiters.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { requestLink } from './reset-links.js';

const NEW_PASSWORD = 'battery staple';

describe('POST /auth/reset', () => {
  let t: TestApi;
  let now: Date;
  beforeEach(async () => {
    now = new Date('2026-03-01T12:00:00.000Z');
    t = await openTestApi({ now: () => now, ownDatabase: 'it has a clock of its own' });
  });
  afterEach(() => t.close());

  const reset = (token: string, password = NEW_PASSWORD) => t.api.post('/auth/reset').send({ token, password });
  const logIn = (password: string) => t.api.post('/auth/login').send({ email: t.user.email, password });

  test('sets the password and ends every session', async () => {
    const sessions = [await t.login(), await t.login()];
    const { token } = await requestLink(t, t.user.email);
    const { status, body } = await reset(token);
    expect([status, body]).toEqual([200, { object: 'message', detail: expect.any(String), new_workspace: false }]);
    for (const session of sessions) await t.api.get('/auth/session').set(session).expect(401);
    await logIn(t.user.password).expect(401);
    await logIn(NEW_PASSWORD).expect(200);
  });

  test("does not affect other users' sessions and passwords", async () => {
    const other = await t.otherTenant();
    const { token } = await requestLink(t, t.user.email);
    await reset(token).expect(200);
    await t.api.post('/auth/login').send(other.user).expect(200);
  });

  test('accepts a link only once', async () => {
    const { token } = await requestLink(t, t.user.email);
    await reset(token).expect(200);
    const { status, body } = await reset(token);
    expect([status, body.errors]).toEqual([
      422,
      [{ field: 'token', message: expect.stringContaining('Request a new reset link') }],
    ]);
  });

  test('accepts a link only once, even if two requests arrive at the same time', async () => {
    const { token } = await requestLink(t, t.user.email);
    const lock = await t.ctx.db.transaction();
    await lock('users').select('id').forUpdate();
    const responses = Promise.all([reset(token), reset(token, 'another password')]);
    while ((await countLockWaiters(t)) < 2) await t.ctx.db.raw('select pg_sleep(0.01)');
    await lock.rollback();
    expect((await responses).map(({ status }) => status).sort()).toEqual([200, 422]);
  });

  test('accepts a link for an hour', async () => {
    const [early, late] = [await requestLink(t, t.user.email), await requestLink(t, t.user.email)];
    now = new Date(now.getTime() + 3_600_000);
    await reset(early.token).expect(422);
    now = new Date(now.getTime() - 1);
    await reset(late.token).expect(200);
  });

  test('invalidates the other links', async () => {
    const [first, second] = [await requestLink(t, t.user.email), await requestLink(t, t.user.email)];
    await reset(second.token).expect(200);
    await reset(first.token).expect(422);
  });

  test('keeps the link valid when the new password is refused', async () => {
    const { token } = await requestLink(t, t.user.email);
    await reset(token, 'short').expect(422);
    await reset(token).expect(200);
  });

  test('unlocks a locked account', async () => {
    const { token } = await requestLink(t, t.user.email);
    for (let tries = 0; tries < 10; tries += 1) await logIn('wrong horse').expect(401);
    await logIn('wrong horse').expect(429);
    await reset(token).expect(200);
    expect(await t.ctx.redis.keys('login:account:*')).toEqual([]);
    expect(await t.ctx.redis.keys('login:client:*')).toEqual([]);
    await logIn(NEW_PASSWORD).expect(200);
  });

  test('opens no session for a login that was checked against the old password', async () => {
    const { token } = await requestLink(t, t.user.email);
    const lock = await t.ctx.db.transaction();
    await lock('users').select('id').forUpdate();
    const resetting = reset(token).then(({ status }) => status);
    while ((await countLockWaiters(t)) < 1) await t.ctx.db.raw('select pg_sleep(0.01)');
    const loggingIn = logIn(t.user.password).then(({ status }) => status);
    while ((await countLockWaiters(t)) < 2) await t.ctx.db.raw('select pg_sleep(0.01)');
    await lock.rollback();
    expect([await resetting, await loggingIn]).toEqual([200, 401]);
    expect(await t.ctx.db('sessions')).toEqual([]);
  });

  test('refuses an unknown token', async () => {
    await reset('A'.repeat(43)).expect(422);
    await reset('').expect(422);
  });
});
