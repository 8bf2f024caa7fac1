import { limits } from '@posthorn/domain/limits';
import { newAddress } from '../new-address.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { signUp, verificationTokens } from './sign-up-client.js';

describe('POST /auth/resend-verification', () => {
  let t: TestApi;
  let ada: string;
  beforeEach(async () => {
    ada = newAddress('ada');
    t = await openTestApi({ config: { trustedProxyHops: 1 } });
  });
  afterEach(() => t.close());

  const resend = (session: Record<string, string>, address = '198.51.100.1') =>
    t.api.post('/auth/resend-verification').set({ ...session, 'X-Forwarded-For': address });

  test('emails another link', async () => {
    const { session } = await signUp(t, ada);
    const { status, body } = await resend(session);
    expect([status, body]).toEqual([202, { object: 'message', detail: expect.any(String) }]);
    const tokens = await verificationTokens(t, ada);
    expect(new Set(tokens).size).toBe(2);
  });

  test('sends at most five links a day to one address, including the one from the sign-up', async () => {
    const { session } = await signUp(t, ada);
    for (let sent = 1; sent < limits.verificationMails.max; sent += 1) {
      await resend(session, `198.51.100.${sent}`).expect(202);
    }
    const { status, body, headers } = await resend(session, '198.51.100.99');
    expect([status, body.code, Number(headers['retry-after'])]).toEqual([429, 'rate_limited', expect.any(Number)]);
    expect(body.detail).toContain('5 confirmation links to one address in 24 hours');
    expect(await verificationTokens(t, ada)).toHaveLength(limits.verificationMails.max);
  });

  test('requires a session', async () => {
    await resend({}).expect(401);
    await resend(t.auth).expect(401);
  });
});

describe('links that confirm an address', () => {
  let t: TestApi;
  let ada: string;
  beforeEach(async () => {
    ada = newAddress('ada');
    t = await openTestApi({ config: { trustedProxyHops: 1 } });
  });
  afterEach(() => t.close());

  const tryFrom = (address: string, email: string) =>
    t.api.post('/auth/signup').set('X-Forwarded-For', address).send({ email, password: 'correct horse battery' });

  test('are limited per network, and a sign-up beyond the limit creates no account', async () => {
    const { max } = limits.verificationMailsFromNetwork;
    for (let account = 0; account < max; account += 1) {
      await tryFrom('198.51.100.1', newAddress(`user${account}`)).expect(201);
      // The limit on sign-ups from one IP address covers only 15 minutes.
      for (const key of await t.ctx.redis.keys('login:sign-up:*')) await t.ctx.redis.del(key);
    }
    expect((await tryFrom('198.51.100.1', ada)).body.code).toBe('rate_limited');
    expect(await t.ctx.db('users').where({ email: ada })).toEqual([]);
    await tryFrom('198.51.100.2', ada).expect(201);
  });

  test('are limited across all networks', async () => {
    await t.ctx.redis.set('unverified:links', limits.verificationMailsInTotal.max, 'EX', 60);
    expect((await tryFrom('198.51.100.1', ada)).body.code).toBe('rate_limited');
    expect(await t.ctx.db('users').where({ email: ada })).toEqual([]);
  });

  test('are not counted for sign-ups with an address that already has an account', async () => {
    for (let tries = 0; tries < limits.verificationMails.max + 1; tries += 1) {
      await tryFrom('198.51.100.1', t.user.email).expect(409);
    }
    expect(await t.ctx.redis.keys('unverified:*')).toEqual([]);
  });
});
