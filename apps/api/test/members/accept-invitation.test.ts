import { newId } from '@posthorn/platform/values';
import { getCookie } from '../accounts/session-cookie.js';
import { newAddress } from '../new-address.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { toProblem } from '../to-problem.js';
import {
  accept,
  getSession,
  invite,
  listMembers,
  PASSWORD,
  path,
  runConcurrently,
  type Session,
  tokenFor,
} from './member-client.js';

const BOB = 'bob@example.com';
const DAY_MS = 86_400_000;

describe('POST /auth/accept-invitation', () => {
  let t: TestApi;
  let owner: Session;
  let now: Date;
  beforeEach(async () => {
    now = new Date('2026-03-01T12:00:00.000Z');
    t = await openTestApi({ now: () => now, ownDatabase: 'it has a clock of its own' });
    owner = await t.login();
  });
  afterEach(() => t.close());

  const members = async () =>
    (await listMembers(t, owner)).map(({ email, role, status }) => `${email} ${role} ${status}`);

  test('creates an account for a new address, adds it to the workspace and logs in', async () => {
    await invite(t, owner, BOB);
    const response = await accept(t, await tokenFor(t, BOB));
    expect([response.status, response.body]).toEqual([
      200,
      {
        user: { id: expect.any(String), email: BOB, email_verified: true },
        workspace: (await t.api.get('/auth/session').set(owner)).body.workspace,
      },
    ]);
    const session = await t.api.get('/auth/session').set(getSession(response)).expect(200);
    expect(session.body).toEqual(response.body);
    expect(getCookie(response).attributes.sort()).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax']);
    expect(await members()).toEqual([`${BOB} member active`, `${t.user.email} owner active`]);
    const again = await t.api.post('/auth/login').send({ email: BOB, password: PASSWORD });
    expect([again.status, again.body]).toEqual([200, response.body]);
  });

  test('grants the current role of the invitation', async () => {
    const { id } = await invite(t, owner, BOB);
    await t.api.patch(`${path}/${id}`).set(owner).send({ role: 'owner' }).expect(200);
    const session = getSession(await accept(t, await tokenFor(t, BOB)).expect(200));
    await invite(t, session, 'eve@example.com');
  });

  test('works while sign-up is closed', async () => {
    const closed = await openTestApi({ config: { signup: 'closed' } });
    await invite(closed, await closed.login(), BOB);
    await accept(closed, await tokenFor(closed, BOB)).expect(200);
    await closed.close();
  });

  test('adds an existing user, after checking the password, to a second workspace', async () => {
    const other = await t.otherTenant();
    now = new Date(now.getTime() + 1);
    await invite(t, owner, other.user.email);
    const token = await tokenFor(t, other.user.email);
    const response = await accept(t, token, other.user.password).expect(200);
    expect(response.body.workspace.id).toBe(t.workspace.id);
    const { body } = await t.api.get('/auth/workspaces').set(getSession(response));
    expect(body.data).toMatchObject([
      { id: other.workspace.id, role: 'owner', current: false },
      { id: t.workspace.id, role: 'member', current: true },
    ]);
  });

  test('does not log in to an existing account without its password, and keeps the link valid', async () => {
    const other = await t.otherTenant();
    await invite(t, owner, other.user.email);
    const token = await tokenFor(t, other.user.email);
    const response = await accept(t, token, 'a password of mine');
    expect([response.status, response.body.code]).toEqual([401, 'invalid_login']);
    expect(response.get('Set-Cookie')).toBeUndefined();
    await t.api.post('/auth/login').send(other.user).expect(200);
    await accept(t, token, other.user.password).expect(200);
  });

  test('counts wrong passwords for an existing account together with failed logins', async () => {
    const other = await t.otherTenant();
    await invite(t, owner, other.user.email);
    const token = await tokenFor(t, other.user.email);
    for (let tries = 0; tries < 10; tries += 1) await accept(t, token, `guess number ${tries}`).expect(401);
    await accept(t, token, other.user.password).expect(429);
    await t.api.post('/auth/login').send(other.user).expect(429);
  });

  test('lets a user who was removed from every workspace join', async () => {
    const other = await t.otherTenant();
    await t.ctx.db('memberships').where({ workspace_id: other.workspace.id }).delete();
    await invite(t, owner, other.user.email);
    await accept(t, await tokenFor(t, other.user.email), other.user.password).expect(200);
    expect((await t.api.post('/auth/login').send(other.user).expect(200)).body.workspace.id).toBe(t.workspace.id);
  });

  test("ends the browser's earlier session", async () => {
    const other = await t.otherTenant();
    await invite(t, owner, other.user.email);
    const earlier = getSession(await t.api.post('/auth/login').send(other.user));
    await accept(t, await tokenFor(t, other.user.email), other.user.password)
      .set(earlier)
      .expect(200);
    await t.api.get('/auth/session').set(earlier).expect(401);
  });

  test('accepts a link only once, even if two requests arrive at the same time', async () => {
    await invite(t, owner, BOB);
    const token = await tokenFor(t, BOB);
    const responses = await runConcurrently(t, 2, () => [accept(t, token), accept(t, token, 'another password')]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 422]);
    expect(await members()).toEqual([`${BOB} member active`, `${t.user.email} owner active`]);
    expect(await t.ctx.db('users')).toHaveLength(2);
  });

  test('either accepts an invitation or loses to its concurrent removal', async () => {
    const { id } = await invite(t, owner, BOB);
    const token = await tokenFor(t, BOB);
    const remove = () => t.api.delete(`${path}/${id}`).set(owner);
    const [accepted, removed] = await runConcurrently(t, 2, () => [accept(t, token), remove()]);
    expect([
      [200, 404],
      [422, 200],
    ]).toContainEqual([accepted?.status, removed?.status]);
    expect(await t.ctx.db('memberships')).toHaveLength(accepted?.status === 200 ? 2 : 1);
  });

  test('keeps the link valid when someone signs up with the address at the same time', async () => {
    await invite(t, owner, BOB);
    const token = await tokenFor(t, BOB);
    const signUp = () => t.api.post('/auth/signup').send({ email: BOB, password: 'signed up alone' }).expect(201);
    const [accepted] = await runConcurrently(t, 1, () => [accept(t, token)], signUp);
    expect([accepted?.status, accepted?.body.code]).toEqual([409, 'conflict']);
    await accept(t, token).expect(401);
    await accept(t, token, 'signed up alone').expect(200);
    expect((await members())[0]).toBe(`${BOB} member active`);
  });

  test('accepts a link for seven days', async () => {
    await invite(t, owner, BOB);
    const token = await tokenFor(t, BOB);
    now = new Date(now.getTime() + 7 * DAY_MS);
    await accept(t, token).expect(422);
    now = new Date(now.getTime() - 1);
    await accept(t, token).expect(200);
  });

  test('keeps the link valid when the new password is refused', async () => {
    await invite(t, owner, BOB);
    const token = await tokenFor(t, BOB);
    const { status, body } = await accept(t, token, 'short');
    expect([status, body.errors]).toEqual([
      422,
      [{ field: 'password', message: 'must have at least 10 characters; it has 5' }],
    ]);
    await accept(t, token).expect(200);
  });

  test('gives the same response for a used, expired, revoked or unknown token', async () => {
    const eve = 'eve@example.com';
    await invite(t, owner, BOB);
    const used = await tokenFor(t, BOB);
    await accept(t, used).expect(200);
    const { id } = await invite(t, owner, eve);
    const revoked = await tokenFor(t, eve);
    await t.api.delete(`${path}/${id}`).set(owner).expect(200);
    await invite(t, owner, eve);
    const expired = await tokenFor(t, eve);
    await t.ctx.db('invitations').update({ expires_at: now });
    const responses = await Promise.all(
      [used, revoked, expired, 'A'.repeat(43), newId()].map((token) => accept(t, token)),
    );
    for (const response of responses) {
      expect([response.status, response.body.errors[0].field]).toEqual([422, 'token']);
      expect(toProblem(response)).toEqual(toProblem(responses[0] as (typeof responses)[0]));
    }
  });

  test('refuses a form from another site', async () => {
    await invite(t, owner, BOB);
    const response = await accept(t, await tokenFor(t, BOB)).set('Sec-Fetch-Site', 'cross-site');
    expect([response.status, response.body.code]).toEqual([403, 'csrf_rejected']);
  });
});

describe('POST /auth/invitation', () => {
  let t: TestApi;
  let owner: Session;
  beforeAll(async () => {
    t = await openTestApi();
    owner = await t.login();
  });
  afterAll(() => t.close());

  const read = (token: string) => t.api.post('/auth/invitation').send({ token });

  test('returns the workspace and whether an account exists, and keeps the link valid', async () => {
    const other = await t.otherTenant();
    for (const [email, has_account] of [
      [newAddress('bob'), false],
      [other.user.email, true],
    ] as const) {
      const { expires_at } = await invite(t, owner, email);
      const token = await tokenFor(t, email);
      for (let looks = 0; looks < 2; looks += 1) {
        const { status, body } = await read(token);
        expect([status, body]).toEqual([
          200,
          { object: 'invitation', email, role: 'member', workspace: { name: 'Test' }, has_account, expires_at },
        ]);
      }
    }
  });

  test('refuses an unknown token with the same response as POST /auth/accept-invitation', async () => {
    const token = 'A'.repeat(43);
    expect(toProblem(await read(token))).toEqual(toProblem(await accept(t, token)));
    await read('').expect(422);
  });
});
