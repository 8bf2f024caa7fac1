import { deleteClosedWorkspaces } from '@posthorn/domain/retention';
import { newAddress } from '../new-address.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { addKey, PASSWORD, send, signUp, verificationTokens, verify } from './sign-up-client.js';

describe('POST /auth/reject-signup', () => {
  let t: TestApi;
  let victim: string;
  beforeEach(async () => {
    t = await openTestApi();
    victim = newAddress('victim');
  });
  afterEach(() => t.close());

  const reject = (token: string) => t.api.post('/auth/reject-signup').send({ token });

  test('deletes the account that someone else created, with its workspace and emails', async () => {
    const { session, token, userId, workspaceId } = await signUp(t, victim);
    const key = await addKey(t, session);
    await send(t, key, victim).expect(202);
    const { status, body } = await reject(token);
    expect([status, body]).toEqual([200, { object: 'message', detail: expect.any(String) }]);
    await t.api.get('/auth/session').set(session).expect(401);
    await t.api.post('/auth/login').send({ email: victim, password: PASSWORD }).expect(401);
    expect(await t.ctx.db('users').where({ id: userId })).toEqual([]);
    await deleteClosedWorkspaces(t.ctx, () => true);
    expect(await t.ctx.db('workspaces').where({ id: workspaceId })).toEqual([]);
    expect(await t.ctx.db('emails').where({ workspace_id: workspaceId })).toEqual([]);
    while ((await t.api.get('/api/v1/emails').set(key)).status !== 401) await t.ctx.db.raw('select pg_sleep(0.1)');
    await signUp(t, victim);
  });

  test('works once, and never for an account that is verified', async () => {
    const { session, token } = await signUp(t, victim);
    await t.api.post('/auth/resend-verification').set(session).expect(202);
    const [, second = ''] = await verificationTokens(t, victim);
    await verify(t, second).expect(200);
    for (const used of [token, second, 'A'.repeat(43)]) {
      const { status, body } = await reject(used);
      expect([status, body.errors[0].field]).toEqual([422, 'token']);
    }
    await t.api.get('/auth/session').set(session).expect(200);
  });

  test('either rejects or confirms when both are requested at the same time', async () => {
    const { session, token } = await signUp(t, victim);
    await t.api.post('/auth/resend-verification').set(session).expect(202);
    const [, second = ''] = await verificationTokens(t, victim);
    const [verified, rejected] = await Promise.all([verify(t, token), reject(second)]);
    expect([verified.status, rejected.status].sort()).toEqual([200, 422]);
    expect(await t.ctx.db('users').where({ email: victim })).toHaveLength(verified.status === 200 ? 1 : 0);
  });
});
