import { limits } from '@posthorn/domain/limits';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { requestLink, waitForLinks } from './reset-links.js';
import { signUp } from './sign-up-client.js';

describe('POST /auth/forgot', () => {
  let t: TestApi;
  beforeEach(async () => {
    t = await openTestApi({ ownDatabase: 'it locks a table and uses up the limit for each IP address' });
  });
  afterEach(() => t.close());

  const forgot = (email: string) => t.api.post('/auth/forgot').send({ email });

  test('sends a link from the platform address, in an email that workspace members cannot read', async () => {
    const link = await requestLink(t, t.user.email);
    expect(link.url).toMatch(/^http:\/\/localhost:3000\/reset-password\?token=[\w-]{43}$/);
    const [email] = await t.ctx.db('emails').select('*');
    expect(email).toMatchObject({
      from_address: 'no-reply@posthorn.localhost',
      to: [t.user.email],
      subject: 'Reset your password',
      status: 'queued',
    });
    const [{ headers }] = await t.ctx.db('email_contents').select('headers');
    expect(headers).toEqual({ 'Auto-Submitted': 'auto-generated' });
    const session = await t.login();
    expect((await t.api.get('/api/v1/emails').set(session)).body.data).toEqual([]);
    await t.api.get(`/api/v1/emails/${email.id}`).set(session).expect(404);
    expect((await t.api.get('/billing/usage').set(session)).body.monthly.used).toBe(0);
  });

  test('gives the same response for an address without an account, but sends no email', async () => {
    const [known, unknown] = [await forgot(t.user.email), await forgot('nobody@example.com')];
    expect(known.body).toEqual({ object: 'message', detail: expect.any(String) });
    expect([unknown.status, unknown.body]).toEqual([known.status, known.body]);
    expect(known.status).toBe(202);
    expect(Object.keys(unknown.headers)).toEqual(Object.keys(known.headers));
    expect(await waitForLinks(t, 1)).toHaveLength(1);
    expect(await t.ctx.db('emails').whereRaw('? = any("to")', ['nobody@example.com'])).toEqual([]);
  });

  test('answers before the email is created, so that the response time reveals nothing', async () => {
    const lock = await t.ctx.db.transaction();
    await lock.raw('lock table emails in exclusive mode');
    await forgot(t.user.email).expect(202);
    await lock.rollback();
    expect(await waitForLinks(t, 1)).toHaveLength(1);
  });

  test('stores only hashes of the tokens', async () => {
    const { token } = await requestLink(t, t.user.email);
    const [reset] = await t.ctx.db('mailed_links');
    expect(reset.token_hash).toHaveLength(32);
    expect(reset.token_hash.toString('base64url')).not.toBe(token);
  });

  test('sends at most three links before one of them expires', async () => {
    for (let requests = 0; requests < 3; requests += 1) await forgot(t.user.email.toUpperCase()).expect(202);
    expect(await waitForLinks(t, 3)).toHaveLength(3);
    await forgot(t.user.email).expect(202);
    await t.ctx.db.raw('select pg_sleep(0.2)');
    expect(await t.ctx.db('emails')).toHaveLength(3);
    await t.ctx.db('mailed_links').update({ expires_at: new Date() });
    await forgot(t.user.email).expect(202);
    expect(await waitForLinks(t, 4)).toHaveLength(4);
    expect(await t.ctx.db('mailed_links')).toHaveLength(1);
  });

  test('sends at most three links even for concurrent requests', async () => {
    await Promise.all(Array.from({ length: 10 }, () => forgot(t.user.email).expect(202)));
    await waitForLinks(t, 3);
    await t.ctx.db.raw('select pg_sleep(0.5)');
    expect(await t.ctx.db('mailed_links')).toHaveLength(3);
    expect(await t.ctx.db('emails')).toHaveLength(3);
  });

  test('sends at most five links a day to an address that nobody has confirmed', async () => {
    const email = 'stranger@example.com';
    await signUp(t, email);
    for (let sent = 0; sent < limits.resetLinksUnverified.max; sent += 1) {
      await requestLink(t, email);
      // As if the links had expired.
      await t.ctx.db('mailed_links').where({ purpose: 'reset_password' }).delete();
    }
    await forgot(email).expect(202);
    await t.ctx.db.raw('select pg_sleep(0.2)');
    expect(await waitForLinks(t, 0, email)).toHaveLength(limits.resetLinksUnverified.max);
  });

  test('cannot be used to probe many addresses', async () => {
    for (let requests = 0; requests < 10; requests += 1) await forgot(`user${requests}@example.com`).expect(202);
    const { status, headers } = await forgot(t.user.email);
    expect([status, Number(headers['retry-after'])]).toEqual([429, expect.any(Number)]);
  });
});
