import { newId } from '@posthorn/platform/values';
import { countLockWaiters } from '../count-lock-waiters.js';
import { newAddress } from '../new-address.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { requestLink } from './reset-links.js';
import { getCookie } from './session-cookie.js';
import { addKey, PASSWORD, send, signUp, verify } from './sign-up-client.js';

const NEW_PASSWORD = 'battery staple';

describe('the first password reset of an account that someone else created with your address', () => {
  let t: TestApi;
  let victim: string;
  beforeEach(async () => {
    t = await openTestApi();
    victim = newAddress('victim');
  });
  afterEach(() => t.close());

  const reset = (token: string) => t.api.post('/auth/reset').send({ token, password: NEW_PASSWORD });
  const mailsTo = (address: string) =>
    t.ctx
      .db('emails')
      .join('email_contents', 'email_contents.email_id', 'emails.id')
      .select('subject', 'text', 'html')
      .whereRaw('? = any("to")', [address])
      .orderBy('emails.id');

  /** Adds a second owner and an invitation, as if they dated from before addresses had to be verified. */
  async function addOthers(workspaceId: string): Promise<{ Cookie: string }> {
    const other = await t.otherTenant();
    const [user] = await t.ctx.db('users').where({ email: other.user.email });
    const createdAt = new Date(0);
    const membership = { workspace_id: workspaceId, user_id: user.id, role: 'owner', created_at: createdAt };
    await t.ctx.db('memberships').insert(membership);
    await t.ctx.db('invitations').insert({
      id: newId(),
      workspace_id: workspaceId,
      email: 'friend@example.com',
      role: 'owner',
      token_hash: Buffer.from('token'),
      created_at: createdAt,
      expires_at: new Date(Date.now() + 3_600_000),
    });
    return { Cookie: getCookie(await t.api.post('/auth/login').send(other.user)).pair };
  }

  test('removes keys, sessions, members and invitations, and keeps the rest', async () => {
    const { session, workspaceId } = await signUp(t, victim);
    const key = await addKey(t, session);
    const template = { name: 'Kept', subject: 'Hi', html_body: 'Hi', text_body: 'Hi' };
    await t.api.post('/api/v1/templates').set(session).send(template).expect(201);
    await send(t, key, victim).expect(202);
    const coOwner = await addOthers(workspaceId);
    await t.api.get('/api/v1/members').set(coOwner).expect(200);

    const { token } = await requestLink(t, victim);
    const { status, body } = await reset(token);
    expect([status, body.removed]).toEqual([200, { api_keys: 1, sessions: 1, members: 1, invitations: 1 }]);
    expect(body.detail).toContain('we removed 1 API key, 1 session, 1 other member and 1 invitation');

    for (const lost of [session, coOwner]) await t.api.get('/auth/session').set(lost).expect(401);
    while ((await t.api.get('/api/v1/emails').set(key)).status !== 401) await t.ctx.db.raw('select pg_sleep(0.1)');
    await t.api.post('/auth/login').send({ email: victim, password: PASSWORD }).expect(401);
    const logIn = await t.api.post('/auth/login').send({ email: victim, password: NEW_PASSWORD }).expect(200);
    const mine = { Cookie: getCookie(logIn).pair };
    expect(logIn.body).toMatchObject({ user: { email_verified: true }, workspace: { id: workspaceId } });
    expect((await t.api.get('/api/v1/members').set(mine)).body.data).toMatchObject([{ email: victim, role: 'owner' }]);
    expect((await t.api.get('/api/v1/templates').set(mine)).body.data).toHaveLength(1);
    expect((await t.api.get('/api/v1/emails').set(mine)).body.data).toHaveLength(1);
    await send(t, mine, 'jane@example.com').expect(202);
  });

  test('is announced in the reset email, and another email lists what was removed', async () => {
    const { session } = await signUp(t, victim);
    await addKey(t, session);
    const { token } = await requestLink(t, victim);
    await reset(token).expect(200);
    const [, resetMail, removedMail] = await mailsTo(victim);
    expect(resetMail.text).toContain('removes API keys, members and invitations that were added earlier');
    expect(removedMail.subject).toBe('Earlier access to your account was removed');
    for (const part of [removedMail.text, removedMail.html]) expect(part).toContain('1 API key');
  });

  test('is followed by an email even if only a session was removed', async () => {
    await signUp(t, victim);
    const { token } = await requestLink(t, victim);
    const { body } = await reset(token).expect(200);
    expect(body.removed).toEqual({ api_keys: 0, sessions: 1, members: 0, invitations: 0 });
    expect((await mailsTo(victim)).at(-1)).toMatchObject({ subject: 'Earlier access to your account was removed' });
    expect((await mailsTo(victim)).at(-1).text).toContain('1 session');
  });

  test('also invalidates the links that verify the address', async () => {
    const { token: verification } = await signUp(t, victim);
    const { token } = await requestLink(t, victim);
    await reset(token).expect(200);
    await verify(t, verification).expect(422);
    await t.api.post('/auth/reject-signup').send({ token: verification }).expect(422);
  });

  test('removes nothing once the address is verified', async () => {
    const { session, token: verification } = await signUp(t, victim);
    const key = await addKey(t, session);
    await verify(t, verification).expect(200);
    const { token } = await requestLink(t, victim);
    const { body } = await reset(token).expect(200);
    expect(body.removed).toBeNull();
    await t.api.get('/api/v1/emails').set(key).expect(200);
    expect((await mailsTo(victim)).at(-1).text).not.toContain('removes API keys');
  });

  test('leaves no working key behind, even if one was requested before it', async () => {
    const { session, workspaceId } = await signUp(t, victim);
    const { token } = await requestLink(t, victim);
    const lock = await t.ctx.db.transaction();
    await lock('workspaces').select('id').where({ id: workspaceId }).forUpdate();
    const resetting = reset(token).then(({ status }) => status);
    while ((await countLockWaiters(t)) < 1) await t.ctx.db.raw('select pg_sleep(0.01)');
    const fields = { name: 'Late', scopes: ['emails:send'] };
    const adding = t.api.post('/api/v1/api-keys').set(session).send(fields);
    const added = adding.then(({ status }) => status);
    while ((await countLockWaiters(t)) < 2) await t.ctx.db.raw('select pg_sleep(0.01)');
    await lock.rollback();
    expect([await resetting, await added]).toEqual([200, 401]);
    expect(await t.ctx.db('api_keys').where({ workspace_id: workspaceId, revoked_at: null })).toEqual([]);
  });
});
