import { newAddress } from '../new-address.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { invite, join, listMembers, path, runConcurrently, type Session } from './member-client.js';

describe('PATCH /api/v1/members/{id}', () => {
  let t: TestApi;
  let owner: Session;
  let ownId: string;
  beforeEach(async () => {
    t = await openTestApi();
    owner = await t.login();
    ownId = (await t.api.get('/auth/session').set(owner)).body.user.id;
  });
  afterEach(() => t.close());

  const change = (id: string, role: string, session: Record<string, string> = owner) =>
    t.api.patch(`${path}/${id}`).set(session).send({ role });
  const mayManage = async (session: Session) =>
    (await t.api.patch('/api/v1/workspace').set(session).send({ name: 'Renamed' })).status === 200;

  test('turns a member into an owner and back again, effective immediately', async () => {
    const bob = await join(t, owner, newAddress('bob'));
    expect(await mayManage(bob.session)).toBe(false);
    const [listed] = await listMembers(t, owner);
    const { status, body } = await change(bob.id, 'owner');
    expect([status, body]).toEqual([200, { ...listed, role: 'owner' }]);
    expect(await mayManage(bob.session)).toBe(true);
    await change(bob.id, 'member', owner).expect(200);
    expect(await mayManage(bob.session)).toBe(false);
    await change(bob.id, 'member', owner).expect(200);
  });

  test('changes the role of an invitation', async () => {
    const invited = await invite(t, owner, newAddress('bob'));
    const { status, body } = await change(invited.id, 'owner');
    expect([status, body]).toEqual([200, { ...invited, role: 'owner' }]);
    expect((await listMembers(t, owner))[0]).toEqual(body);
  });

  test('lets an owner become a member while there is another owner', async () => {
    const { status, body } = await change(ownId, 'member');
    expect([status, body.code, body.detail]).toEqual([409, 'conflict', expect.stringContaining('last owner')]);
    await change(ownId, 'owner').expect(200);
    await invite(t, owner, newAddress('kim'), 'owner');
    await change(ownId, 'member').expect(409);
    await join(t, owner, newAddress('bob'), 'owner');
    await change(ownId, 'member').expect(200);
    expect(await mayManage(owner)).toBe(false);
  });

  test('keeps one owner when two demote each other at the same time', async () => {
    const bob = await join(t, owner, newAddress('bob'), 'owner');
    const responses = await runConcurrently(t, 2, () => [
      change(bob.id, 'member', owner),
      change(ownId, 'member', bob.session),
    ]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await t.ctx.db('memberships').where({ workspace_id: t.workspace.id, role: 'owner' })).toHaveLength(1);
  });

  test('is only for owners, so members cannot promote themselves', async () => {
    const bob = await join(t, owner, newAddress('bob'));
    const { status, body } = await change(bob.id, 'owner', bob.session);
    expect([status, body.code]).toEqual([403, 'owner_required']);
    await change(bob.id, 'owner', t.auth).expect(401);
    expect(await mayManage(bob.session)).toBe(false);
  });

  test.each([{}, { role: 'admin' }, { role: null }, { role: 'owner', email: 'a@example.com' }])(
    'refuses %j',
    async (body) => {
      await t.api.patch(`${path}/${ownId}`).set(owner).send(body).expect(422);
    },
  );
});
