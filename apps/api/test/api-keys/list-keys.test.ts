import { openTestApi, type TestApi } from '../open-test-api.js';

describe('GET /api/v1/api-keys', () => {
  let t: TestApi;
  let session: { Cookie: string };
  beforeEach(async () => {
    t = await openTestApi();
    session = await t.login();
  });
  afterEach(() => t.close());

  const list = async (query = '') => (await t.api.get(`/api/v1/api-keys${query}`).set(session).expect(200)).body;
  const create = async (name: string) =>
    (
      await t.api
        .post('/api/v1/api-keys')
        .set(session)
        .send({ name, scopes: ['emails:send'] })
        .expect(201)
    ).body;

  test('lists the keys of the workspace, newest first, with their revocation times', async () => {
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

  test('returns pages, in both directions', async () => {
    for (const name of ['B', 'C', 'D']) await create(name);
    const names = ({ data }: { data: Array<{ name: string }> }) => data.map(({ name }) => name);
    const first = await list('?limit=2');
    expect([names(first), first.has_more, first.next_cursor]).toEqual([['D', 'C'], true, first.data[1].id]);
    const second = await list(`?limit=2&after=${first.next_cursor}`);
    expect([names(second), second.has_more, second.next_cursor]).toEqual([['B', 'Test key'], false, null]);
    const newer = await list(`?limit=1&before=${second.data[0].id}`);
    expect([names(newer), newer.has_more, newer.next_cursor]).toEqual([['C'], true, newer.data[0].id]);
    expect((await t.api.get('/api/v1/api-keys?limit=101').set(session)).status).toBe(422);
  });

  test('returns 20 keys per page by default, however many were revoked', async () => {
    await t.ctx.db.raw(
      `insert into api_keys (id, workspace_id, name, secret_hash, hint, scopes, created_at, revoked_at)
       select gen_random_uuid(), workspace_id, name, secret_hash, hint, scopes, created_at, created_at
       from api_keys, generate_series(1, 200)`,
    );
    const body = await list();
    expect([body.data.length, body.has_more]).toEqual([20, true]);
  });

  test('lists only revoked keys, or only keys that are not revoked', async () => {
    const { id } = await create('Old');
    await t.api.delete(`/api/v1/api-keys/${id}`).set(session).expect(200);
    const names = async (query: string) => (await list(query)).data.map(({ name }: { name: string }) => name);
    expect(await names('?revoked=true')).toEqual(['Old']);
    expect(await names('?revoked=false')).toEqual(['Test key']);
    expect((await t.api.get('/api/v1/api-keys?revoked=yes').set(session)).status).toBe(422);
  });

  test('shows when a key was last used', async () => {
    const { id, key } = await create('Used');
    const lastUsed = async () => (await list()).data.find((entry: { id: string }) => entry.id === id).last_used_at;
    expect(await lastUsed()).toBeNull();
    await t.api.get('/api/v1/emails').set('Authorization', `Bearer ${key}`).expect(200);
    while ((await lastUsed()) === null) await t.ctx.db.raw('select pg_sleep(0.01)');
    expect(await lastUsed()).toMatch(/Z$/);
  });

  test('accepts the session of any member, but not a key', async () => {
    await t.ctx.db('memberships').where({ workspace_id: t.workspace.id }).update({ role: 'member' });
    await list();
    await t.api.get('/api/v1/api-keys').set(t.auth).expect(401);
  });

  test('shows nothing of another workspace', async () => {
    await t.otherTenant();
    expect((await list()).data).toHaveLength(1);
  });
});
