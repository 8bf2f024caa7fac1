import { openTestApi, type TestApi } from '../open-test-api.js';

describe('GET /api/v1/api-keys', () => {
  let t: TestApi;
  let session: { Cookie: string };
  beforeEach(async () => {
    t = await openTestApi();
    session = await t.login();
  });
  afterEach(() => t.close());

  const list = async () => (await t.api.get('/api/v1/api-keys').set(session).expect(200)).body;
  const create = async (name: string) =>
    (
      await t.api
        .post('/api/v1/api-keys')
        .set(session)
        .send({ name, scopes: ['emails:send'] })
        .expect(201)
    ).body;

  test('lists the workspace keys, newest first, with their revocation times', async () => {
    const { id } = await create('Old');
    await create('New');
    await t.api.delete(`/api/v1/api-keys/${id}`).set(session).expect(200);
    const body = await list();
    expect(body).toMatchObject({ object: 'list', has_more: false, next_cursor: null });
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['New', 'Old', 'Test key']);
    expect(body.data.map((key: { revoked_at: string | null }) => key.revoked_at)).toEqual([
      null,
      expect.stringMatching(/Z$/),
      null,
    ]);
  });

  test('shows when a key was last used', async () => {
    const { id, key } = await create('Used');
    const lastUsed = async () => (await list()).data.find((entry: { id: string }) => entry.id === id).last_used_at;
    expect(await lastUsed()).toBeNull();
    await t.api.get('/api/v1/emails').set('Authorization', `Bearer ${key}`).expect(200);
    while ((await lastUsed()) === null) await t.ctx.db.raw('select pg_sleep(0.01)');
    expect(await lastUsed()).toMatch(/Z$/);
  });

  test('allows any member session, but not a key', async () => {
    await t.ctx.db('memberships').where({ workspace_id: t.workspace.id }).update({ role: 'member' });
    await list();
    await t.api.get('/api/v1/api-keys').set(t.auth).expect(401);
  });

  test('shows nothing of another workspace', async () => {
    await t.otherTenant();
    expect((await list()).data).toHaveLength(1);
  });
});
