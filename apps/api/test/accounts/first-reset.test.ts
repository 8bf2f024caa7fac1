import { deleteClosedWorkspaces } from '@posthorn/domain/retention';
import { newId } from '@posthorn/platform/values';
import { countLockWaiters } from '../count-lock-waiters.js';
import { newAddress } from '../new-address.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { requestLink } from './reset-links.js';
import { getCookie } from './session-cookie.js';
import { addKey, PASSWORD, send, signUp, verify } from './sign-up-client.js';

const NEW_PASSWORD = 'battery staple';
const WEBHOOK = { url: 'http://127.0.0.1:9/hook', events: ['email.sent'] };

describe('the first password reset of an account that someone else created with your address', () => {
  let t: TestApi;
  let victim: string;
  beforeEach(async () => {
    t = await openTestApi({ config: { webhookAllowedNetworks: ['127.0.0.0/8'] } });
    victim = newAddress('victim');
  });
  afterEach(() => t.close());

  const reset = (token: string) => t.api.post('/auth/reset').send({ token, password: NEW_PASSWORD });
  const post = (path: string, session: Record<string, string>, body: object) =>
    t.api.post(`/api/v1${path}`).set(session).send(body);

  async function logIn() {
    const response = await t.api.post('/auth/login').send({ email: victim, password: NEW_PASSWORD }).expect(200);
    return { mine: { Cookie: getCookie(response).pair }, body: response.body };
  }

  async function resetMail(): Promise<string> {
    const { text } = await t.ctx
      .db('email_contents')
      .join('emails', 'emails.id', 'email_contents.email_id')
      .whereRaw('? = any("to")', [victim])
      .whereLike('text', '%/reset-password?%')
      .first('text');
    return text;
  }

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
      token_hash: Buffer.from(newId()),
      created_at: createdAt,
      expires_at: new Date(Date.now() + 3_600_000),
    });
    return { Cookie: getCookie(await t.api.post('/auth/login').send(other.user)).pair };
  }

  test('begins a new workspace that has nothing of the earlier one', async () => {
    const { session, workspaceId } = await signUp(t, victim);
    await t.api.patch('/api/v1/workspace').set(session).send({ name: 'Mine now' }).expect(200);
    await addKey(t, session);
    await post('/webhooks', session, WEBHOOK).expect(201);
    await post('/domains', session, { name: `${newId()}.example` }).expect(201);
    await post('/templates', session, { name: 'x', subject: 'x', html_body: 'x', text_body: 'x' }).expect(201);
    await send(t, session, victim).expect(202);

    const { token } = await requestLink(t, victim);
    expect(await resetMail()).toContain('begins a new, empty workspace');
    const { status, body } = await reset(token);
    expect([status, body.new_workspace, body.detail]).toEqual([200, true, expect.stringContaining('new, empty')]);

    const { mine, body: loggedIn } = await logIn();
    expect(loggedIn).toMatchObject({ user: { email_verified: true }, workspace: { name: victim.split('@')[0] } });
    expect(loggedIn.workspace.id).not.toBe(workspaceId);
    for (const path of ['/api-keys', '/webhooks', '/domains', '/templates', '/emails'])
      expect((await t.api.get(`/api/v1${path}`).set(mine).expect(200)).body.data).toEqual([]);
    expect((await t.api.get('/api/v1/members').set(mine)).body.data).toMatchObject([{ email: victim, role: 'owner' }]);
    await send(t, mine, 'jane@example.com').expect(202);
  });

  test('stops the keys, sessions, webhooks, members and invitations of the earlier workspace at once', async () => {
    const { session, workspaceId } = await signUp(t, victim);
    const key = await addKey(t, session);
    await post('/webhooks', session, WEBHOOK).expect(201);
    const fields = { name: 'Test', scopes: ['webhooks:write'], mode: 'test' };
    const { key: testKey } = (await post('/api-keys', session, fields).expect(201)).body;
    await post('/webhooks', { Authorization: `Bearer ${testKey}` }, WEBHOOK).expect(201);
    const coOwner = await addOthers(workspaceId);
    const { token } = await requestLink(t, victim);
    await reset(token).expect(200);

    for (const headers of [session, coOwner]) await t.api.get('/auth/session').set(headers).expect(401);
    while ((await t.api.get('/api/v1/emails').set(key)).status !== 401) await t.ctx.db.raw('select pg_sleep(0.1)');
    await t.api.post('/auth/login').send({ email: victim, password: PASSWORD }).expect(401);
    expect(await t.ctx.db('invitations').where({ workspace_id: workspaceId })).toEqual([]);
    const ids = await t.ctx.db('workspaces').where({ id: workspaceId }).orWhere({ test_of: workspaceId }).pluck('id');
    expect(await t.ctx.db('webhooks').whereIn('workspace_id', ids).pluck('status')).toEqual(['disabled', 'disabled']);

    await deleteClosedWorkspaces(t.ctx, () => true);
    expect(await t.ctx.db('workspaces').whereIn('id', ids)).toEqual([]);
  });

  test('also invalidates the links that verify the address', async () => {
    const { token: verification } = await signUp(t, victim);
    const { token } = await requestLink(t, victim);
    await reset(token).expect(200);
    await verify(t, verification).expect(422);
    await t.api.post('/auth/reject-signup').send({ token: verification }).expect(422);
  });

  test('keeps the workspace once the address is verified', async () => {
    const { session, workspaceId, token: verification } = await signUp(t, victim);
    const key = await addKey(t, session);
    await verify(t, verification).expect(200);
    const { token } = await requestLink(t, victim);
    const { body } = await reset(token).expect(200);
    expect(body.new_workspace).toBe(false);
    expect(await resetMail()).not.toContain('new, empty workspace');
    await t.api.get('/api/v1/emails').set(key).expect(200);
    expect((await logIn()).body.workspace.id).toBe(workspaceId);
  });

  test('leaves no working key or webhook behind, even if one was requested before it', async () => {
    const { session, workspaceId } = await signUp(t, victim);
    const { id } = (await post('/webhooks', session, WEBHOOK).expect(201)).body;
    await t.api.patch(`/api/v1/webhooks/${id}`).set(session).send({ status: 'disabled' }).expect(200);
    const { token } = await requestLink(t, victim);
    const lock = await t.ctx.db.transaction();
    await lock('workspaces').select('id').where({ id: workspaceId }).forUpdate();
    const resetting = reset(token).then(({ status }) => status);
    while ((await countLockWaiters(t)) < 1) await t.ctx.db.raw('select pg_sleep(0.01)');
    const late = Promise.all([
      post('/api-keys', session, { name: 'Late', scopes: ['emails:send'] }),
      post('/webhooks', session, WEBHOOK),
      t.api.patch(`/api/v1/webhooks/${id}`).set(session).send({ status: 'enabled' }),
    ]);
    while ((await countLockWaiters(t)) < 4) await t.ctx.db.raw('select pg_sleep(0.01)');
    await lock.rollback();
    expect(await resetting).toBe(200);
    expect((await late).map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(await t.ctx.db('api_keys').where({ workspace_id: workspaceId, revoked_at: null })).toEqual([]);
    expect(await t.ctx.db('webhooks').where({ workspace_id: workspaceId, status: 'enabled' })).toEqual([]);
  });
});
