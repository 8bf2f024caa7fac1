import { limits } from '@posthorn/domain/limits';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { getCookie } from './session-cookie.js';

describe('POST /auth/signup', () => {
  let t: TestApi;
  beforeAll(async () => {
    t = await openTestApi({ ownDatabase: 'it signs up with fixed addresses and expects the slugs that they lead to' });
  });
  afterAll(() => t.close());

  const password = 'correct horse';
  const signUp = (body: object) => t.api.post('/auth/signup').send(body);

  test('creates an account with a workspace on the Free plan, and logs in', async () => {
    const response = await signUp({ email: 'Ada@Example.com', password, workspace_name: 'Analytical Engines' });
    expect(response.status).toBe(201);
    expect(response.body).toEqual({
      user: { id: expect.any(String), email: 'Ada@example.com', email_verified: false },
      workspace: {
        id: expect.any(String),
        name: 'Analytical Engines',
        slug: 'analytical-engines',
        plan: 'free',
        platform_sender: 'analytical-engines@posthorn.localhost',
        content_retention_days: null,
        email_retention_days: null,
        paused: null,
      },
    });
    const session = await t.api.get('/auth/session').set('Cookie', getCookie(response).pair);
    expect([session.status, session.body]).toEqual([200, response.body]);
  });

  test('names the workspace after the address by default', async () => {
    const { body } = await signUp({ email: 'grace.hopper@example.com', password });
    expect(body.workspace).toMatchObject({ name: 'grace.hopper', slug: 'grace-hopper' });
  });

  test('lets the new account send to itself from its platform sender at once', async () => {
    const response = await signUp({ email: 'sender@example.com', password, workspace_name: 'Sender Inc' });
    const email = { to: ['sender@example.com'], subject: 'Hi', text: 'Hi' };
    const sent = await t.api.post('/api/v1/emails').set('Cookie', getCookie(response).pair).send(email);
    expect([sent.status, sent.body.from_]).toEqual([202, response.body.workspace.platform_sender]);
  });

  test('refuses an address that has an account, ignoring case', async () => {
    await signUp({ email: 'taken@example.com', password }).expect(201);
    const { status, body, headers } = await signUp({ email: 'TAKEN@example.com', password });
    expect([status, body.code]).toEqual([409, 'conflict']);
    expect(headers['set-cookie']).toBeUndefined();
  });

  test.each([
    ['email', { email: 'nobody', password }],
    ['email', { email: 'Ada <ada@example.com>', password }],
    ['email', { password }],
    ['password', { email: 'new@example.com', password: 'too short' }],
    ['password', { email: 'new@example.com', password: 'x'.repeat(201) }],
    ['workspace_name', { email: 'new@example.com', password, workspace_name: ' ' }],
    ['workspace_name', { email: 'new@example.com', password, workspace_name: 'x'.repeat(101) }],
    ['workspace_name', { email: 'new@example.com', password, workspace_name: 'a\r\nBcc: b' }],
    ['workspaceName', { email: 'new@example.com', password, workspaceName: 'Acme' }],
  ])('says what is wrong with %s in %j', async (field, body) => {
    const response = await signUp(body);
    expect([response.status, response.body.errors]).toEqual([422, [{ field, message: expect.any(String) }]]);
  });

  test('stores neither the password nor the session token in plain text', async () => {
    const response = await signUp({ email: 'secret@example.com', password: 'canary-password-1' });
    const { token } = getCookie(response);
    const users = JSON.stringify(await t.ctx.db('users'));
    expect(users).toContain('secret@example.com');
    expect(users).not.toContain('canary-password-1');
    const sessions = await t.ctx.db('sessions');
    for (const form of [token, Buffer.from(token).toString('hex'), Buffer.from(token, 'base64url').toString('hex')]) {
      expect(
        JSON.stringify(sessions.map((row) => ({ ...row, token_hash: row.token_hash.toString('hex') }))),
      ).not.toContain(form);
    }
  });

  test('can be disabled by configuration', async () => {
    const closed = await openTestApi({ config: { signup: 'closed' } });
    const { status, body } = await closed.api.post('/auth/signup').send({ email: 'ada@example.com', password });
    expect([status, body.code]).toEqual([403, 'signup_closed']);
    await closed.close();
  });

  test('creates one account for concurrent requests with the same address', async () => {
    const fresh = await openTestApi({ ownDatabase: 'it signs up with fixed addresses' });
    const spellings = ['race@example.com', 'Race@Example.com', 'RACE@EXAMPLE.COM'];
    const tries = limits.verificationMails.max;
    const responses = await Promise.all(
      Array.from({ length: tries }, (_, index) =>
        fresh.api.post('/auth/signup').send({ email: spellings[index % spellings.length], password }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([
      201,
      ...Array.from({ length: tries - 1 }, () => 409),
    ]);
    expect(await fresh.ctx.db('users').whereRaw("lower(email) = 'race@example.com'")).toHaveLength(1);
    expect(await fresh.ctx.db('workspaces').where({ name: 'race' }).orWhere({ name: 'Race' })).toHaveLength(1);
    await fresh.close();
  });

  test('cannot be used to probe many addresses', async () => {
    // An API of its own, because the tests share an IP address, and its limit.
    const fresh = await openTestApi({});
    const taken = { email: fresh.user.email, password };
    const statuses: number[] = [];
    for (let tries = 0; tries < 21; tries += 1)
      statuses.push((await fresh.api.post('/auth/signup').send(taken)).status);
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 409), 429]);
    expect((await fresh.api.post('/auth/signup').send({ email: 'free@example.com', password })).status).toBe(429);
    await fresh.close();
  });

  test('is limited to 60 accounts a day from one address', async () => {
    const fresh = await openTestApi({});
    const taken = { email: fresh.user.email, password };
    for (let tries = 0; tries < 60; tries += 1) {
      await fresh.api.post('/auth/signup').send(taken).expect(409);
      const [name = ''] = await fresh.ctx.redis.keys('login:sign-up:*');
      await fresh.ctx.redis.del(name);
    }
    const { status, body } = await fresh.api.post('/auth/signup').send({ email: 'free@example.com', password });
    expect([status, body.detail]).toEqual([429, expect.stringContaining('60 sign-ups from one IP address')]);
    await fresh.close();
  });
});
