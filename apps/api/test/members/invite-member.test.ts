import { limits } from '@posthorn/domain/limits';
import { signUp } from '../accounts/sign-up-client.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import {
  accept,
  invite,
  join,
  linksTo,
  listMembers,
  path,
  runConcurrently,
  type Session,
  tokenFor,
} from './member-client.js';

const BOB = 'bob@example.com';

describe('POST /api/v1/members', () => {
  let t: TestApi;
  let owner: Session;
  beforeEach(async () => {
    t = await openTestApi({
      now: () => new Date('2026-03-01T12:00:00.000Z'),
      ownDatabase: 'it has a clock of its own',
    });
    owner = await t.login();
  });
  afterEach(() => t.close());

  const post = (body: object, session: Record<string, string> = owner) => t.api.post(path).set(session).send(body);

  test('invites an address and lists the invitation', async () => {
    const { status, body } = await post({ email: BOB, role: 'member' });
    expect([status, body]).toEqual([
      201,
      {
        object: 'member',
        id: expect.any(String),
        email: BOB,
        role: 'member',
        status: 'invited',
        created_at: '2026-03-01T12:00:00.000Z',
        expires_at: '2026-03-08T12:00:00.000Z',
      },
    ]);
    expect((await listMembers(t, owner))[0]).toEqual(body);
  });

  test('sends a link from the service itself, in an email that members of the workspace cannot read', async () => {
    await invite(t, owner, BOB);
    const [link] = await linksTo(t, BOB);
    expect(link).toMatch(/^http:\/\/localhost:3000\/accept-invitation\?token=[\w-]{43}$/);
    const [email] = await t.ctx.db('emails').select('*');
    expect(email).toMatchObject({ from_address: 'no-reply@posthorn.localhost', to: [BOB], status: 'queued' });
    expect((await t.api.get('/api/v1/emails').set(owner)).body.data).toEqual([]);
    expect((await t.api.get('/billing/usage').set(owner)).body.monthly.used).toBe(0);
  });

  test('stores only the hash of the token', async () => {
    await invite(t, owner, BOB);
    const [row] = await t.ctx.db('invitations');
    expect(row.token_hash).toHaveLength(32);
    expect(JSON.stringify(row)).not.toContain(await tokenFor(t, BOB));
  });

  test('names the inviter and the workspace in the email, escaped in HTML', async () => {
    await t.api.patch('/api/v1/workspace').set(owner).send({ name: 'Ada & <b>Co' }).expect(200);
    await invite(t, owner, (await t.otherTenant()).user.email);
    const [{ text, html }] = await t.ctx.db('email_contents').select('text', 'html');
    const [{ subject }] = await t.ctx.db('emails').select('subject');
    expect(text).toContain(`\u201c${t.user.email}\u201d invited you to a Posthorn workspace`);
    expect(text).toContain('to a Posthorn workspace named \u201cAda & <b>Co\u201d.');
    expect(html).toContain('\u201cAda &amp; &lt;b&gt;Co\u201d');
    expect(subject).toBe('You have been invited to a workspace');
  });

  test('names only the inviter to someone without a confirmed account', async () => {
    await t.api.patch('/api/v1/workspace').set(owner).send({ name: 'You have won' }).expect(200);
    const unconfirmed = 'eve@example.com';
    await signUp(t, unconfirmed);
    for (const email of [BOB, unconfirmed]) {
      const { id } = await invite(t, owner, email);
      await t.api.post(`${path}/${id}/resend`).set(owner).expect(200);
    }
    const mails = await t.ctx.db('email_contents').select('text', 'html').whereLike('text', '%/accept-invitation?%');
    expect(mails).toHaveLength(4);
    for (const part of mails.flatMap(({ text, html }) => [text, html])) {
      expect(part).toContain(`\u201c${t.user.email}\u201d invited you to a Posthorn workspace. To join it`);
      expect(part).not.toContain('won');
    }
  });

  test('emails no link but its own, whatever the workspace is called', async () => {
    const name = 'Security alert! Log in at https://evil.example/login or www.evil.example now, or lose your account';
    await t.api.patch('/api/v1/workspace').set(owner).send({ name }).expect(200);
    const { email } = (await t.otherTenant()).user;
    await invite(t, owner, email);
    const [link] = await linksTo(t, email);
    const [{ text, html }] = await t.ctx.db('email_contents').select('text', 'html');
    for (const part of [text, html]) {
      const rest = part.replaceAll(link, '').replaceAll(t.user.email, '');
      expect(rest).not.toMatch(/https?:|www\.|evil\.|\w\.\w/);
      expect(rest).not.toContain('lose your account');
    }
  });

  test('gives the same response whether or not the address has an account', async () => {
    const other = await t.otherTenant();
    const [known, unknown] = [await invite(t, owner, other.user.email), await invite(t, owner, BOB)];
    expect(unknown).toEqual({ ...known, id: unknown.id, email: BOB });
  });

  test('refuses the address of a member or of an open invitation, ignoring case', async () => {
    await invite(t, owner, BOB);
    for (const email of [t.user.email.toUpperCase(), 'BOB@example.com']) {
      const { status, body } = await post({ email, role: 'member' });
      expect([status, body.code]).toEqual([409, 'conflict']);
    }
    expect(await t.ctx.db('emails')).toHaveLength(1);
  });

  test('invites an address only once when two requests arrive at the same time', async () => {
    const ask = () => post({ email: BOB, role: 'member' }).then(({ status }) => status);
    expect((await runConcurrently(t, 2, () => [ask(), ask()])).sort()).toEqual([201, 409]);
    expect(await t.ctx.db('emails')).toHaveLength(1);
  });

  test('can invite one address to several workspaces', async () => {
    const other = await t.otherTenant();
    const response = await t.api.post('/auth/login').send(other.user);
    const theirs = { Cookie: String(response.get('Set-Cookie')?.[0]?.split(';')[0]) };
    await invite(t, owner, BOB);
    await invite(t, theirs, BOB);
    expect(await linksTo(t, BOB)).toHaveLength(2);
  });

  test('answers 409 when members and invitations reach the workspace limit', async () => {
    const rows = Array.from({ length: limits.members.max - 2 }, (_, index) => ({
      id: t.ctx.db.raw('gen_random_uuid()'),
      workspace_id: t.workspace.id,
      email: `user${index}@example.com`,
      role: 'member',
      token_hash: Buffer.from(`token ${index}`),
      created_at: t.ctx.now(),
      expires_at: t.ctx.now(),
    }));
    await t.ctx.db('invitations').insert(rows);
    await invite(t, owner, BOB);
    const { status, body } = await post({ email: 'eve@example.com', role: 'member' });
    expect([status, body.code, body.detail]).toEqual([409, 'conflict', expect.stringContaining('100 members')]);
    await accept(t, await tokenFor(t, BOB)).expect(200);
  });

  test('creates no invitation when its email cannot be accepted', async () => {
    await t.ctx.db.raw('alter table email_contents rename to gone');
    await post({ email: BOB, role: 'member' }).expect(500);
    await t.ctx.db.raw('alter table gone rename to email_contents');
    expect(await listMembers(t, owner)).toHaveLength(1);
    await invite(t, owner, BOB);
  });

  test('sends at most five invitations a day to one address across all workspaces', async () => {
    for (let sent = 0; sent < 5; sent += 1) {
      const { id } = await invite(t, owner, BOB);
      await t.api.delete(`${path}/${id}`).set(owner).expect(200);
    }
    const { status, body, headers } = await post({ email: 'Bob@example.com', role: 'member' });
    expect([status, body.code, Number(headers['retry-after'])]).toEqual([429, 'rate_limited', expect.any(Number)]);
    expect(await linksTo(t, BOB)).toHaveLength(5);
    const other = await t.otherTenant();
    const response = await t.api.post('/auth/login').send(other.user);
    const theirs = { Cookie: String(response.get('Set-Cookie')?.[0]?.split(';')[0]) };
    await post({ email: BOB, role: 'member' }, theirs).expect(429);
    await invite(t, owner, 'eve@example.com');
  });

  test('sends at most 50 invitations a day', async () => {
    for (let sent = 0; sent < 50; sent += 1) await invite(t, owner, `user${sent}@example.com`);
    const { status, body } = await post({ email: BOB, role: 'member' });
    expect([status, body.detail]).toEqual([
      429,
      expect.stringContaining('50 invitations from one workspace in 24 hours'),
    ]);
  });

  test('is only for owners', async () => {
    const { session } = await join(t, owner, 'eve@example.com');
    const { status, body } = await post({ email: BOB, role: 'owner' }, session);
    expect([status, body.code]).toEqual([403, 'owner_required']);
    await post({ email: BOB, role: 'member' }, t.auth).expect(401);
    expect(await linksTo(t, BOB)).toEqual([]);
  });

  test.each([{}, { email: BOB }, { email: BOB, role: 'admin' }, { email: 'bob', role: 'member' }])(
    'refuses %j',
    async (body) => {
      await post(body).expect(422);
    },
  );

  test('accepts only an address without a display name', async () => {
    const { body } = await post({ email: 'Bob <bob@example.com>', role: 'member' });
    expect(body.errors).toEqual([{ field: 'email', message: expect.stringContaining('an address without a name') }]);
  });
});
