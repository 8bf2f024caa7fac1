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

  test('returns the workspace to every session and key, like /auth/session', async () => {
    const narrow = { Authorization: `Bearer ${await t.keyWith(['emails:send'])}` };
    const { workspace } = (await t.api.get('/auth/session').set(session)).body;
    const expected = {
      object: 'workspace',
      id: t.workspace.id,
      name: 'Test',
      slug: t.workspace.slug,
      plan: 'free',
      platform_sender: `${t.workspace.slug}@posthorn.localhost`,
      content_retention_days: null,
      email_retention_days: null,
      paused: null,
    };
    expect({ object: 'workspace', ...workspace }).toEqual(expected);
    for (const headers of [session, t.auth, narrow])
      expect((await t.api.get(path).set(headers).expect(200)).body).toEqual(expected);
    await t.api.get(path).expect(401);
  });

  test('shows each key only its own workspace', async () => {
    const other = await t.otherTenant();
    expect((await t.api.get(path).set(other.auth)).body.id).toBe(other.workspace.id);
  });

  test('can be renamed by an owner and keeps its platform sender', async () => {
    const other = await t.otherTenant();
    const before = (await t.api.get(path).set(session)).body;
    const { status, body } = await rename({ name: 'Café Zoë' });
    expect([status, body]).toEqual([200, { ...before, name: 'Café Zoë' }]);
    expect((await t.api.get(path).set(session)).body).toEqual(body);
    expect((await t.api.get('/auth/session').set(session)).body.workspace.name).toBe('Café Zoë');
    expect((await t.api.get(path).set(other.auth)).body.name).toBe('Test');
  });

  test('cannot have a name that changes the direction of text', async () => {
    const { status, body } = await rename({ name: 'Acme \u202egro.emca' });
    expect([status, body.errors]).toEqual([422, [{ field: 'name', message: expect.stringContaining('direction') }]]);
  });

  test('cannot have a name that looks like another one because its letters are from different alphabets', async () => {
    const { status, body } = await rename({ name: 'P\u0430yPal Support' });
    expect([status, body.errors]).toEqual([
      422,
      [{ field: 'name', message: expect.stringContaining('the word P\u0430yPal, whose letters') }],
    ]);
    for (const name of ['Яндекс Taxi', '株式会社Acme', 'חברה בע״מ\u200f (C#)\u200e'])
      await rename({ name }).expect(200);
  });

  test('cannot be renamed by a member or by a key', async () => {
    await t.ctx.db('memberships').where({ workspace_id: t.workspace.id }).update({ role: 'member' });
    const { status, body } = await rename({ name: 'Mine' });
    expect([status, body.code]).toEqual([403, 'owner_required']);
    await t.api.patch(path).set(t.auth).send({ name: 'Mine' }).expect(401);
    expect((await t.api.get(path).set(session)).body.name).toBe('Test');
  });

  test('keeps emails for fewer days than the service while an owner has set a lower number', async () => {
    const shorter = await rename({ content_retention_days: 7, email_retention_days: 90 });
    expect([shorter.status, shorter.body]).toMatchObject([
      200,
      { name: 'Test', content_retention_days: 7, email_retention_days: 90 },
    ]);
    const { body } = await rename({ email_retention_days: null });
    expect(body).toMatchObject({ name: 'Test', content_retention_days: 7, email_retention_days: null });
    expect((await t.api.get(path).set(session)).body).toEqual(body);
  });

  test('cannot keep emails for more days than the service', async () => {
    const { status, body } = await rename({ content_retention_days: 31 });
    const message = 'is 31, but the maximum on this service is 30 days. Choose fewer days, or null for the maximum';
    expect([status, body.errors]).toEqual([422, [{ field: 'content_retention_days', message }]]);
    await rename({ email_retention_days: 401 }).expect(422);
  });

  test.each([{ content_retention_days: 0 }, { email_retention_days: 1.5 }, { email_retention_days: '30' }])(
    'refuses %j',
    async (body) => {
      await rename(body).expect(422);
    },
  );

  test.each([{}, { name: '' }, { name: ' ' }, { name: 'a\nb' }, { name: 'x'.repeat(101) }, { name: 'a', slug: 'b' }])(
    'refuses %j',
    async (body) => {
      await rename(body).expect(422);
    },
  );
});
