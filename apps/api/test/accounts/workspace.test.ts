import { openTestApi, type TestApi } from '../open-test-api.js';

const path = '/api/v1/workspace';

describe(path, () => {
  let t: TestApi;
  let session: { Cookie: string };
  beforeEach(async () => {
    t = await openTestApi();
    session = await t.login();
  });
  afterEach(() => t.close());

  const rename = (body: object) => t.api.patch(path).set(session).send(body);

  test('shows the workspace to every session and key, as /auth/session does', async () => {
    const narrow = { Authorization: `Bearer ${await t.keyWith(['emails:send'])}` };
    const { workspace } = (await t.api.get('/auth/session').set(session)).body;
    const expected = {
      object: 'workspace',
      id: t.workspace.id,
      name: 'Test',
      slug: t.workspace.slug,
      plan: 'free',
      platform_sender: `${t.workspace.slug}@posthorn.localhost`,
    };
    expect({ object: 'workspace', ...workspace }).toEqual(expected);
    for (const headers of [session, t.auth, narrow])
      expect((await t.api.get(path).set(headers).expect(200)).body).toEqual(expected);
    await t.api.get(path).expect(401);
  });

  test("shows another workspace's key its own", async () => {
    const other = await t.otherTenant();
    expect((await t.api.get(path).set(other.auth)).body.id).toBe(other.workspace.id);
  });

  test('is renamed by an owner; the address it sends from stays', async () => {
    const other = await t.otherTenant();
    const before = (await t.api.get(path).set(session)).body;
    const { status, body } = await rename({ name: 'Café Zoë' });
    expect([status, body]).toEqual([200, { ...before, name: 'Café Zoë' }]);
    expect((await t.api.get(path).set(session)).body).toEqual(body);
    expect((await t.api.get('/auth/session').set(session)).body.workspace.name).toBe('Café Zoë');
    expect((await t.api.get(path).set(other.auth)).body.name).toBe('Test');
  });

  test('is not renamed by a member, nor by a key', async () => {
    await t.ctx.db('memberships').where({ workspace_id: t.workspace.id }).update({ role: 'member' });
    const { status, body } = await rename({ name: 'Mine' });
    expect([status, body.code]).toEqual([403, 'owner_required']);
    await t.api.patch(path).set(t.auth).send({ name: 'Mine' }).expect(401);
    expect((await t.api.get(path).set(session)).body.name).toBe('Test');
  });

  test.each([{}, { name: '' }, { name: ' ' }, { name: 'a\nb' }, { name: 'x'.repeat(101) }, { name: 'a', slug: 'b' }])(
    'refuses %j',
    async (body) => {
      await rename(body).expect(422);
    },
  );
});
