import { countLockWaiters } from '../count-lock-waiters.js';
import { openSecondInstance } from '../open-second-instance.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { requestLink } from './reset-links.js';

const NEW_PASSWORD = 'battery staple';

describe('POST /auth/password', () => {
  let t: TestApi;
  beforeEach(async () => {
    t = await openTestApi();
  });
  afterEach(() => t.close());

  type Session = { Cookie: string };
  const change = (session: Session, current_password = t.user.password, new_password = NEW_PASSWORD) =>
    t.api.post('/auth/password').set(session).send({ current_password, new_password });
  const logIn = (password: string) => t.api.post('/auth/login').send({ email: t.user.email, password });
  const look = (session: Session) => t.api.get('/auth/session').set(session);

  test('sets the password and ends all other sessions on all processes', async () => {
    const [mine, phone] = [await t.login(), await t.login()];
    const second = await openSecondInstance(t);
    await second.api.get('/auth/session').set(phone).expect(200);
    const { status, body } = await change(mine);
    expect([status, body]).toEqual([200, { object: 'message', detail: expect.any(String) }]);
    await look(mine).expect(200);
    await look(phone).expect(401);
    await second.api.get('/auth/session').set(phone).expect(401);
    await logIn(t.user.password).expect(401);
    await logIn(NEW_PASSWORD).expect(200);
    await second.close();
  });

  test("does not affect other users' sessions and passwords", async () => {
    const other = await t.otherTenant();
    const response = await t.api.post('/auth/login').send(other.user);
    const theirs = { Cookie: String(response.get('Set-Cookie')?.[0]?.split(';')[0]) };
    await change(await t.login()).expect(200);
    await look(theirs).expect(200);
    await t.api.post('/auth/login').send(other.user).expect(200);
  });

  test('refuses a wrong current password and changes nothing', async () => {
    const [mine, phone] = [await t.login(), await t.login()];
    const { status, body } = await change(mine, 'wrong horse battery');
    expect([status, body.errors]).toEqual([
      422,
      [{ field: 'current_password', message: 'is not the current password of this account' }],
    ]);
    await look(phone).expect(200);
    await logIn(t.user.password).expect(200);
  });

  test('is blocked after ten wrong passwords in one session, without locking out other devices', async () => {
    const [mine, phone] = [await t.login(), await t.login()];
    for (let tries = 0; tries < 10; tries += 1) await change(mine, `guess number ${tries}`).expect(422);
    expect((await change(mine)).body.code).toBe('rate_limited');
    await logIn(t.user.password).expect(200);
    await change(phone).expect(200);
  });

  test('invalidates emailed links', async () => {
    const { token } = await requestLink(t, t.user.email);
    await change(await t.login()).expect(200);
    await t.api.post('/auth/reset').send({ token, password: 'another password' }).expect(422);
  });

  test('accepts only one of two concurrent changes, because the other then has an outdated password', async () => {
    const [first, second] = [await t.login(), await t.login()];
    const lock = await t.ctx.db.transaction();
    await lock('users').select('id').where({ email: t.user.email }).forUpdate();
    const responses = Promise.all([change(first), change(second, t.user.password, 'another password')]);
    while ((await countLockWaiters(t)) < 2) await t.ctx.db.raw('select pg_sleep(0.01)');
    await lock.rollback();
    expect((await responses).map(({ status }) => status).sort()).toEqual([200, 422]);
  });

  test('requires a session and a new password that is long enough', async () => {
    await t.api.post('/auth/password').set(t.auth).send({}).expect(401);
    const { status, body } = await change(await t.login(), t.user.password, 'short');
    expect([status, body.errors[0].field]).toEqual([422, 'new_password']);
  });
});
