import { newAddress } from '../new-address.js';
import { openSecondInstance } from '../open-second-instance.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import {
  accept,
  invite,
  join,
  listMembers,
  PASSWORD,
  path,
  runConcurrently,
  type Session,
  tokenFor,
} from './member-client.js';

describe('DELETE /api/v1/members/{id}', () => {
  let t: TestApi;
  let owner: Session;
  let ownId: string;
  beforeEach(async () => {
    t = await openTestApi();
    owner = await t.login();
    ownId = (await t.api.get('/auth/session').set(owner)).body.user.id;
  });
  afterEach(() => t.close());

  const remove = (id: string, session: Record<string, string> = owner) => t.api.delete(`${path}/${id}`).set(session);
  const look = (session: Session) => t.api.get('/auth/session').set(session);

  test('removes a member and ends their sessions immediately on all processes', async () => {
    const email = newAddress('bob');
    const bob = await join(t, owner, email);
    const second = await openSecondInstance(t);
    await second.api.get('/auth/session').set(bob.session).expect(200);
    const { status, body } = await remove(bob.id);
    expect([status, body]).toEqual([200, { object: 'member', id: bob.id, deleted: true }]);
    await look(bob.session).expect(401);
    await second.api.get('/auth/session').set(bob.session).expect(401);
    expect(await listMembers(t, owner)).toHaveLength(1);
    const logIn = await t.api.post('/auth/login').send({ email, password: PASSWORD });
    expect([logIn.status, logIn.body.code]).toEqual([409, 'conflict']);
    await remove(bob.id).expect(404);
    await second.close();
  });

  test('keeps memberships in other workspaces', async () => {
    const other = await t.otherTenant();
    await invite(t, owner, other.user.email);
    const response = await accept(t, await tokenFor(t, other.user.email), other.user.password);
    await remove(response.body.user.id).expect(200);
    const again = await t.api.post('/auth/login').send(other.user).expect(200);
    expect(again.body.workspace.id).toBe(other.workspace.id);
  });

  test('removes an invitation, so that its link no longer works', async () => {
    const { id, email } = await invite(t, owner, newAddress('bob'));
    const { status, body } = await remove(id.toUpperCase());
    expect([status, body]).toEqual([200, { object: 'member', id, deleted: true }]);
    await accept(t, await tokenFor(t, email)).expect(422);
    expect(await listMembers(t, owner)).toHaveLength(1);
  });

  test('lets a member leave, but not remove others', async () => {
    const [bob, eve] = [await join(t, owner, newAddress('bob')), await join(t, owner, newAddress('eve'))];
    const { id: invited } = await invite(t, owner, newAddress('kim'));
    for (const id of [ownId, eve.id, invited]) {
      const { status, body } = await remove(id, bob.session);
      expect([status, body.code]).toEqual([403, 'owner_required']);
    }
    await remove(bob.id, bob.session).expect(200);
    await look(bob.session).expect(401);
    expect(await listMembers(t, owner)).toHaveLength(3);
  });

  test('lets an owner leave while there is another one', async () => {
    await join(t, owner, newAddress('bob'));
    const { status, body } = await remove(ownId);
    expect([status, body.code, body.detail]).toEqual([409, 'conflict', expect.stringContaining('last owner')]);
    await look(owner).expect(200);
    const eve = await join(t, owner, newAddress('eve'), 'owner');
    await remove(ownId).expect(200);
    await remove(eve.id, eve.session).expect(409);
  });

  test('keeps one owner when two remove each other at the same time', async () => {
    const bob = await join(t, owner, newAddress('bob'), 'owner');
    const responses = await runConcurrently(t, 2, () => [remove(bob.id, owner), remove(ownId, bob.session)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await t.ctx.db('memberships').where({ workspace_id: t.workspace.id, role: 'owner' })).toHaveLength(1);
  });

  test('keeps the API keys that a former owner created', async () => {
    await join(t, owner, newAddress('bob'), 'owner');
    await remove(ownId).expect(200);
    await t.api.get('/api/v1/emails').set(t.auth).expect(200);
  });

  test('needs a session', async () => {
    await remove(ownId, t.auth).expect(401);
  });
});
