import { limits } from '@posthorn/domain/limits';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { addKey, send, signUp } from './sign-up-client.js';

const ADA = 'Ada.Lovelace@example.com';
const JANE = 'jane@example.com';

describe('an account whose address is not verified', () => {
  let t: TestApi;
  beforeEach(async () => {
    t = await openTestApi({ config: { trustedProxyHops: 1 }, ownDatabase: 'it counts the emails of all workspaces' });
  });
  afterEach(() => t.close());

  /** Signs up from the given IP address. */
  async function signUpFrom(address: string, email: string) {
    const account = { email, password: 'correct horse battery' };
    const response = await t.api.post('/auth/signup').set('X-Forwarded-For', address).send(account).expect(201);
    return { Cookie: String(response.get('Set-Cookie')?.[0]?.split(';')[0]) };
  }

  test('can only send to its own address, with a session or a key', async () => {
    const { session } = await signUp(t, ADA);
    for (const headers of [session, await addKey(t, session)]) {
      await send(t, headers, ADA.toLowerCase()).expect(202);
      const others = [
        await send(t, headers, JANE),
        await send(t, headers, [ADA, JANE]),
        await send(t, headers, ADA, { cc: [JANE] }),
        await send(t, headers, ADA, { bcc: [JANE] }),
        await send(t, headers, 'ada.lovelace+list@example.com'),
        await send(t, headers, JANE, { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() }),
      ];
      for (const { status, body } of others) expect([status, body.code]).toEqual([403, 'account_not_verified']);
      expect(others[0]?.body.detail).not.toContain(ADA);
    }
    expect(await t.ctx.db('email_recipients').where({ address: JANE })).toEqual([]);
  });

  test('can send to the simulator, and test mail to any address, because neither is sent to a mail server', async () => {
    const { session } = await signUp(t, ADA);
    const simulated = 'bounced@simulator.posthorn.localhost';
    await send(t, session, [ADA, simulated]).expect(202);
    await send(t, session, [simulated, JANE]).expect(403);
    const fields = { name: 'Test', scopes: ['emails:send'], mode: 'test' };
    const { body } = await t.api.post('/api/v1/api-keys').set(session).send(fields).expect(201);
    await send(t, { Authorization: `Bearer ${body.key}` }, JANE).expect(202);
  });

  test('is refused only after the rate limit and replays have been checked', async () => {
    const { session } = await signUp(t, ADA);
    const refused = await send(t, session, JANE);
    expect(refused.headers['ratelimit-remaining']).toBe('59');
    const keyed = { ...session, 'Idempotency-Key': 'one' };
    const first = await send(t, keyed, ADA).expect(202);
    const again = await send(t, keyed, ADA);
    expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([202, first.body, 'true']);
  });

  test('can send ten emails a day', async () => {
    const { session } = await signUp(t, ADA);
    const { daily } = (await t.api.get('/billing/usage').set(session)).body;
    expect(daily).toMatchObject({ limit: limits.unverifiedSends.max, used: 0 });
    for (let sent = 0; sent < limits.unverifiedSends.max; sent += 1) await send(t, session, ADA).expect(202);
    const { status, body } = await send(t, session, ADA);
    expect([status, body.code]).toEqual([429, 'daily_cap_exhausted']);
    expect(body.detail).toContain('Confirm your email address or wait until');
    const others = await send(t, session, JANE);
    expect(others.body.code).toBe('account_not_verified');
  });

  test('shares its limit with other addresses of the same mailbox', async () => {
    const { session } = await signUp(t, 'Ada.Lovelace+1@gmail.com');
    for (let sent = 0; sent < limits.unverifiedSends.max; sent += 1)
      await send(t, session, 'ada.lovelace+1@gmail.com').expect(202);
    const alias = await signUp(t, 'adalovelace+2@googlemail.com');
    const { body } = await send(t, alias.session, 'adalovelace+2@googlemail.com').expect(429);
    expect(body.detail).toMatch(/emails to one unconfirmed address/);
  });

  test('shares a limit with all unverified accounts that were created from its network', async () => {
    const { max } = limits.unverifiedSendsFromNetwork;
    let sent = 0;
    for (let account = 0; sent < max; account += 1) {
      const email = `user${account}@example.com`;
      const session = await signUpFrom('198.51.100.1', email);
      for (let sends = 0; sends < limits.unverifiedSends.max && sent < max; sends += 1) {
        // Sending from a different IP address makes no difference.
        await send(t, { ...session, 'X-Forwarded-For': `203.0.113.${account}` }, email).expect(202);
        sent += 1;
      }
    }
    const one = await send(t, await signUpFrom('198.51.100.1', 'one@example.com'), 'one@example.com');
    expect([one.status, one.body.code, Number(one.headers['retry-after'])]).toEqual([
      429,
      'rate_limited',
      expect.any(Number),
    ]);
    expect(one.headers['ratelimit-limit']).toBe('60');
    await send(t, await signUpFrom('198.51.100.2', 'two@example.com'), 'two@example.com').expect(202);
    expect(await t.ctx.db('emails').whereNot({ subject: 'Confirm your email address' })).toHaveLength(max + 1);
  });

  test('shares one limit with all other unverified accounts of the service; verified accounts are exempt', async () => {
    const session = await signUpFrom('198.51.100.1', ADA);
    await t.ctx.redis.set('unverified:sends', limits.unverifiedSendsInTotal.max, 'EX', 60);
    const { status, body } = await send(t, session, ADA);
    expect([status, body.code]).toEqual([429, 'rate_limited']);
    await send(t, t.auth, JANE).expect(202);
  });

  test('cannot invite anyone', async () => {
    const { session } = await signUp(t, ADA);
    const invite = await t.api.post('/api/v1/members').set(session).send({ email: JANE, role: 'member' });
    expect([invite.status, invite.body.code]).toEqual([403, 'account_not_verified']);
    expect((await t.api.get('/api/v1/members').set(session)).body.data).toHaveLength(1);
    expect(await t.ctx.db('emails').whereRaw('? = any("to")', [JANE])).toEqual([]);
  });

  test('is stored with a hash of the IP address that created it, until the email address is verified', async () => {
    const { token, userId } = await signUp(t, ADA);
    const source = async () => (await t.ctx.db('users').where({ id: userId }).first('signup_source')).signup_source;
    expect(await source()).toMatch(/^[0-9a-f]{64}$/);
    await t.api.post('/auth/verify-email').send({ token }).expect(200);
    expect(await source()).toBeNull();
  });
});
