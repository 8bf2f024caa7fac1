import { openTestApi, type TestApi } from '../open-test-api.js';
import { invite, join, listMembers, loginAs, path, type Session } from './member-client.js';

describe('GET /api/v1/members', () => {
  let t: TestApi;
  let owner: Session;
  let now: Date;
  beforeEach(async () => {
    now = new Date('2026-03-01T12:00:00.000Z');
    t = await openTestApi({ now: () => now, ownDatabase: 'it has a clock of its own' });
    owner = await t.login();
  });
  afterEach(() => t.close());

  test('lists invitations, then members, both newest first, and is open to every member', async () => {
    const bob = await join(t, owner, 'bob@example.com');
    now = new Date(now.getTime() + 1);
    const eve = await join(t, owner, 'eve@example.com', 'owner');
    const [dan, kim] = [await invite(t, owner, 'dan@example.com'), await invite(t, owner, 'kim@example.com', 'owner')];
    const { body } = await t.api.get(path).set(bob.session).expect(200);
    const joined = (id: unknown, email: string, role: string, created_at: unknown) => ({
      object: 'member',
      id,
      email,
      role,
      status: 'active',
      created_at,
      expires_at: null,
    });
    expect(body).toEqual({
      object: 'list',
      data: [
        kim,
        dan,
        joined(eve.id, 'eve@example.com', 'owner', '2026-03-01T12:00:00.001Z'),
        expect.objectContaining({ status: 'active' }),
        expect.objectContaining({ status: 'active' }),
      ],
      has_more: false,
      next_cursor: null,
    });
    expect(body.data).toContainEqual(joined(bob.id, 'bob@example.com', 'member', '2026-03-01T12:00:00.000Z'));
    expect(body.data).toContainEqual(joined(expect.any(String), t.user.email, 'owner', expect.any(String)));
  });

  test('shows an invitation as expired once its link no longer works', async () => {
    await invite(t, owner, 'bob@example.com');
    now = new Date(now.getTime() + 7 * 86_400_000 - 1);
    const later = await t.login();
    expect((await listMembers(t, later))[0]?.status).toBe('invited');
    now = new Date(now.getTime() + 1);
    expect((await listMembers(t, later))[0]?.status).toBe('expired');
  });

  test('shows nothing of another workspace', async () => {
    const other = await t.otherTenant();
    await invite(t, owner, 'bob@example.com');
    const members = await listMembers(t, await loginAs(t, other.user));
    expect(members.map(({ email }) => email)).toEqual([other.user.email]);
  });

  test('needs a session', async () => {
    await t.api.get(path).set(t.auth).expect(401);
    await t.api.get(path).expect(401);
  });
});
