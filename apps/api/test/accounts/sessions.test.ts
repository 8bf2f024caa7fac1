import { openTestApi, type TestApi } from '../open-test-api.js';

const DAY_MS = 86_400_000;

describe('/auth/sessions', () => {
  let t: TestApi;
  let now: Date;
  beforeEach(async () => {
    now = new Date('2026-03-01T12:00:00.000Z');
    t = await openTestApi({ now: () => now, ownDatabase: 'it has a clock of its own' });
  });
  afterEach(() => t.close());

  const list = async (session: { Cookie: string }, query = '') =>
    (await t.api.get(`/auth/sessions${query}`).set(session).expect(200)).body;

  test('lists all sessions of the user, newest first, and marks the current one', async () => {
    await t.otherTenant();
    const laptop = await t.login();
    now = new Date(now.getTime() + 1_000);
    const phone = await t.login();
    const expected = (created_at: string, current: boolean) => ({
      object: 'session',
      id: expect.any(String),
      workspace_id: t.workspace.id,
      created_at,
      last_seen_at: created_at,
      current,
    });
    const [first, second] = ['2026-03-01T12:00:00.000Z', '2026-03-01T12:00:01.000Z'];
    expect(await list(laptop)).toEqual({
      object: 'list',
      data: [expected(second, false), expected(first, true)],
      has_more: false,
      next_cursor: null,
    });
    expect((await list(phone)).data.map(({ current }: { current: boolean }) => current)).toEqual([true, false]);
  });

  test('leaves out sessions that have ended', async () => {
    await t.login();
    now = new Date(now.getTime() + 4 * DAY_MS);
    const later = await t.login();
    expect((await list(later)).data).toHaveLength(2);
    now = new Date(now.getTime() + 3 * DAY_MS);
    expect((await list(later)).data).toHaveLength(1);
  });

  test('returns the sessions in pages', async () => {
    await t.login();
    await t.login();
    const session = await t.login();
    const all = (await list(session)).data;
    const first = await list(session, '?limit=2');
    expect([first.data, first.has_more, first.next_cursor]).toEqual([all.slice(0, 2), true, all[1].id]);
    const second = await list(session, `?limit=2&after=${first.next_cursor}`);
    expect([second.data, second.has_more]).toEqual([all.slice(2), false]);
    expect((await list(session, `?limit=2&before=${all[2].id}`)).data).toEqual(all.slice(0, 2));
  });

  test('DELETE ends all sessions of this user but no others, and removes the cookie', async () => {
    const other = await t.otherTenant();
    const theirs = await t.api.post('/auth/login').send(other.user);
    const [laptop, phone] = [await t.login(), await t.login()];
    const response = await t.api.delete('/auth/sessions').set(laptop).expect(204);
    expect(response.get('Set-Cookie')?.[0]).toMatch(/^posthorn_session=; Max-Age=0/);
    for (const ended of [laptop, phone]) await t.api.get('/auth/session').set(ended).expect(401);
    const cookie = String(theirs.get('Set-Cookie')?.[0]?.split(';')[0]);
    await t.api.get('/auth/session').set('Cookie', cookie).expect(200);
  });

  test('can only be called with a session', async () => {
    await t.api.get('/auth/sessions').set(t.auth).expect(401);
    await t.api.delete('/auth/sessions').set(t.auth).expect(401);
    await t.api.delete('/auth/sessions').expect(401);
  });
});
