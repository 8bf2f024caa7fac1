import { newId } from '@posthorn/platform/values';
import { openTestApi, type TestApi, type TestTenant } from '../open-test-api.js';
import { toProblem } from '../to-problem.js';

describe('a user with two workspaces', () => {
  let t: TestApi;
  let second: TestTenant;
  let session: { Cookie: string };

  beforeEach(async () => {
    t = await openTestApi();
    second = await t.otherTenant();
    session = await t.login();
    const [user] = await t.ctx.db('users').select('id').where({ email: t.user.email });
    await t.ctx.db('memberships').insert({ workspace_id: second.workspace.id, user_id: user.id, role: 'member' });
  });
  afterEach(() => t.close());

  const switchTo = (workspace_id: unknown) => t.api.post('/auth/switch').set(session).send({ workspace_id });
  const workspaces = async () => (await t.api.get('/auth/workspaces').set(session).expect(200)).body;

  test('sees both, in the order they joined, with their role in each', async () => {
    await t.otherTenant();
    const shown = ({ workspace: { id, slug } }: TestTenant, role: string, current: boolean) => ({
      object: 'workspace',
      id,
      name: 'Test',
      slug,
      plan: 'free',
      platform_sender: `${slug}@posthorn.localhost`,
      content_retention_days: null,
      email_retention_days: null,
      paused: null,
      role,
      current,
    });
    expect(await workspaces()).toEqual({
      object: 'list',
      data: [shown(t, 'owner', true), shown(second, 'member', false)],
      has_more: false,
      next_cursor: null,
    });
  });

  test('can switch the session to the other workspace, with the role they have there', async () => {
    const { status, body } = await switchTo(second.workspace.id);
    expect([status, body]).toEqual([200, (await t.api.get('/auth/session').set(session)).body]);
    expect(body).toMatchObject({ user: { email: t.user.email }, workspace: { id: second.workspace.id } });
    const key = { name: 'CI', scopes: ['emails:send'] };
    expect((await t.api.post('/api/v1/api-keys').set(session).send(key)).body.code).toBe('owner_required');
    const keys = (await t.api.get('/api/v1/api-keys').set(session)).body.data;
    expect(keys.map(({ id }: { id: string }) => id)).toEqual([second.keyId]);
    await switchTo(t.workspace.id).expect(200);
    await t.api.post('/api/v1/api-keys').set(session).send(key).expect(201);
  });

  test('switches only this session', async () => {
    const other = await t.login();
    await switchTo(second.workspace.id).expect(200);
    expect((await t.api.get('/auth/session').set(other)).body.workspace.id).toBe(t.workspace.id);
  });

  test('gets the same 404 for a workspace they are not in as for an unknown one', async () => {
    const foreign = await t.otherTenant();
    const responses = await Promise.all([foreign.workspace.id, newId(), 'no-id'].map((id) => switchTo(id)));
    for (const response of responses) {
      expect(response.status).toBe(404);
      expect(toProblem(response)).toEqual(toProblem(responses[0] as (typeof responses)[0]));
    }
    await switchTo(undefined).expect(422);
    expect((await t.api.get('/auth/session').set(session)).body.workspace.id).toBe(t.workspace.id);
  });

  test('loses the session, but not the account, when removed from its workspace', async () => {
    await switchTo(second.workspace.id).expect(200);
    await t.ctx.db('memberships').where({ workspace_id: second.workspace.id, role: 'member' }).delete();
    await t.api.get('/auth/session').set(session).expect(401);
    session = await t.login();
    expect((await workspaces()).data).toHaveLength(1);
  });

  test('needs a session to list or switch workspaces', async () => {
    await t.api.get('/auth/workspaces').set(t.auth).expect(401);
    await t.api.post('/auth/switch').set(t.auth).send({ workspace_id: second.workspace.id }).expect(401);
  });
});
