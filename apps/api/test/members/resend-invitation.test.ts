import { openTestApi, type TestApi } from '../open-test-api.js';
import { accept, invite, join, linksTo, listMembers, path, type Session, tokenFor } from './member-client.js';

const BOB = 'bob@example.com';
const DAY_MS = 86_400_000;

describe('POST /api/v1/members/{id}/resend', () => {
  let t: TestApi;
  let owner: Session;
  let now: Date;
  beforeEach(async () => {
    now = new Date('2026-03-01T12:00:00.000Z');
    t = await openTestApi({ now: () => now, ownDatabase: 'it has a clock of its own' });
    owner = await t.login();
  });
  afterEach(() => t.close());

  const resend = (id: string, session: Record<string, string> = owner) =>
    t.api.post(`${path}/${id}/resend`).set(session);

  test('emails a new link, and the earlier one stops working', async () => {
    const { id } = await invite(t, owner, BOB);
    const earlier = await tokenFor(t, BOB);
    await resend(id).expect(200);
    expect(await linksTo(t, BOB)).toHaveLength(2);
    await accept(t, earlier).expect(422);
    await accept(t, await tokenFor(t, BOB)).expect(200);
  });

  test('makes an expired invitation valid for another seven days', async () => {
    const invited = await invite(t, owner, BOB);
    now = new Date(now.getTime() + 8 * DAY_MS);
    owner = await t.login();
    const { status, body } = await resend(invited.id);
    expect([status, body]).toEqual([200, { ...invited, expires_at: '2026-03-16T12:00:00.000Z' }]);
    expect((await listMembers(t, owner))[0]).toEqual(body);
    await accept(t, await tokenFor(t, BOB)).expect(200);
  });

  test('answers 409 for the id of a member who has joined', async () => {
    const { id } = await join(t, owner, BOB);
    const { status, body } = await resend(id);
    expect([status, body.code]).toEqual([409, 'conflict']);
    expect(await linksTo(t, BOB)).toHaveLength(1);
  });

  test('counts as an invitation: at most five a day to one address', async () => {
    const { id } = await invite(t, owner, BOB);
    for (let sent = 1; sent < 5; sent += 1) await resend(id).expect(200);
    const kept = await tokenFor(t, BOB);
    await resend(id).expect(429);
    await accept(t, kept).expect(200);
  });

  test('is only for owners', async () => {
    const { session } = await join(t, owner, 'eve@example.com');
    const { id } = await invite(t, owner, BOB);
    expect((await resend(id, session)).body.code).toBe('owner_required');
    await resend(id, t.auth).expect(401);
    expect(await linksTo(t, BOB)).toHaveLength(1);
  });
});
