import { openSecondInstance } from '../open-second-instance.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { toProblem } from '../to-problem.js';
import { addKey, PASSWORD, send, signUp, verificationTokens, verify } from './sign-up-client.js';

const ADA = 'ada@example.com';
const JANE = 'jane@example.com';
const HOUR_MS = 3_600_000;

describe('POST /auth/verify-email', () => {
  let t: TestApi;
  let now: Date;
  beforeEach(async () => {
    now = new Date('2026-03-01T12:00:00.000Z');
    t = await openTestApi({ now: () => now, ownDatabase: 'it has a clock of its own' });
  });
  afterEach(() => t.close());

  const look = async (session: { Cookie: string }) => (await t.api.get('/auth/session').set(session)).body.user;

  test('verifies the address, and lets the account send to others and invite', async () => {
    const { session, token } = await signUp(t, ADA);
    expect(await look(session)).toMatchObject({ email: ADA, email_verified: false });
    await send(t, session, JANE).expect(403);
    const { status, body } = await verify(t, token, session);
    expect([status, body]).toEqual([200, { object: 'message', detail: expect.any(String) }]);
    expect(await look(session)).toMatchObject({ email: ADA, email_verified: true });
    await send(t, session, JANE).expect(202);
    await t.api.post('/api/v1/members').set(session).send({ email: JANE, role: 'member' }).expect(201);
    expect((await t.api.get('/billing/usage').set(session)).body.daily.limit).toBe(100);
  });

  test('takes effect for keys on every process', async () => {
    const second = await openSecondInstance(t);
    const { session, token } = await signUp(t, ADA);
    const key = await addKey(t, session);
    const statusAtSecond = async () =>
      (
        await second.api
          .post('/api/v1/emails')
          .set(key)
          .send({ to: [JANE], subject: 'Hi', text: 'Hi' })
      ).status;
    expect(await statusAtSecond()).toBe(403);
    await verify(t, token).expect(200);
    while ((await statusAtSecond()) !== 202) await t.ctx.db.raw('select pg_sleep(0.1)');
    await send(t, key, JANE).expect(202);
    await second.close();
  });

  test('keeps the sessions and keys of the account', async () => {
    const { session, token } = await signUp(t, ADA);
    const key = await addKey(t, session);
    await verify(t, token).expect(200);
    await t.api.get('/auth/session').set(session).expect(200);
    await t.api.get('/api/v1/emails').set(key).expect(200);
    await t.api.post('/auth/login').send({ email: ADA, password: PASSWORD }).expect(200);
  });

  test('refuses the session of another account, and keeps the link valid', async () => {
    const { token } = await signUp(t, ADA);
    const { status, body } = await verify(t, token, await t.login());
    expect([status, body.code]).toEqual([409, 'conflict']);
    await verify(t, token).expect(200);
  });

  test('accepts any of several links, and afterwards none of them', async () => {
    const { session, token: first } = await signUp(t, ADA);
    await t.api.post('/auth/resend-verification').set(session).expect(202);
    const [, second = ''] = await verificationTokens(t, ADA);
    await verify(t, first).expect(200);
    const responses = [await verify(t, first), await verify(t, second), await verify(t, 'A'.repeat(43))];
    for (const response of responses) {
      expect([response.status, response.body.errors]).toEqual([
        422,
        [{ field: 'token', message: expect.stringContaining('request a new link') }],
      ]);
      expect(toProblem(response)).toEqual(toProblem(responses[0] as (typeof responses)[0]));
    }
  });

  test('accepts a link for 24 hours', async () => {
    const { token } = await signUp(t, ADA);
    now = new Date(now.getTime() + 24 * HOUR_MS);
    await verify(t, token).expect(422);
    now = new Date(now.getTime() - 1);
    await verify(t, token).expect(200);
  });

  test('accepts a token that POST /auth/reset refuses', async () => {
    const { token } = await signUp(t, ADA);
    await t.api.post('/auth/reset').send({ token, password: 'battery staple' }).expect(422);
    await verify(t, token).expect(200);
  });

  test('stores only the hash of the token', async () => {
    const { token } = await signUp(t, ADA);
    const [link] = await t.ctx.db('mailed_links');
    expect(link.token_hash).toHaveLength(32);
    expect(link.token_hash.toString('base64url')).not.toBe(token);
  });

  test('takes its token from an email that says what the link does and contains nothing that the user wrote', async () => {
    const account = { email: ADA, password: PASSWORD, workspace_name: 'Win a prize at evil.example' };
    await t.api.post('/auth/signup').send(account).expect(201);
    const [{ subject, from_address }] = await t.ctx.db('emails').select('subject', 'from_address');
    expect([subject, from_address]).toEqual(['Confirm your email address', 'no-reply@posthorn.localhost']);
    const [{ text, html }] = await t.ctx.db('email_contents').select('text', 'html');
    for (const part of [text, html]) {
      expect(part).toContain('If it was not you, do not confirm');
      expect(part).not.toContain('prize');
    }
  });
});

test('accounts that the operator creates are verified', async () => {
  const t = await openTestApi();
  const session = await t.login();
  expect((await t.api.get('/auth/session').set(session)).body.user.email_verified).toBe(true);
  await send(t, t.auth, JANE).expect(202);
  const { status, body } = await t.api.post('/auth/resend-verification').set(session);
  expect([status, body.code]).toEqual([409, 'conflict']);
  await t.close();
});
