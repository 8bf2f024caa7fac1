import { openSecondInstance } from '../open-second-instance.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { toProblem } from '../to-problem.js';
import { getDeviceCookie } from './session-cookie.js';

describe('guessing passwords', () => {
  let t: TestApi;
  beforeEach(async () => {
    t = await openTestApi({ config: { trustedProxyHops: 1 } });
  });
  afterEach(() => t.close());

  const tryAt = (api: TestApi['api'], address: string, body: object) =>
    api.post('/auth/login').set('X-Forwarded-For', address).send(body);
  const tryFrom = (address: string, body: object) => tryAt(t.api, address, body);
  const ip = (number: number) => `198.51.100.${number}`;

  /** Fails ten times from one address. */
  async function failTenTimes(email: string, address: string): Promise<void> {
    for (let tries = 0; tries < 10; tries += 1) {
      await tryFrom(address, { email, password: `guess number ${tries}` }).expect(401);
    }
  }

  /** Fails a hundred times from ten addresses. */
  async function failHundredTimes(email: string): Promise<void> {
    for (let address = 0; address < 10; address += 1) await failTenTimes(email, ip(address));
  }

  async function failTwice(address: string): Promise<void> {
    for (let tries = 0; tries < 2; tries += 1)
      await tryFrom(address, { ...t.user, password: 'wrong horse' }).expect(401);
  }

  test('for one account is blocked after ten failures from one address, even with the right password', async () => {
    await failTenTimes(t.user.email, ip(1));
    const locked = await tryFrom(ip(1), t.user);
    expect(toProblem(locked)).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(Number(locked.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(locked.headers['retry-after'])).toBeLessThanOrEqual(900);
    expect(locked.headers['ratelimit-remaining']).toBeUndefined();
    await tryFrom(ip(1), (await t.otherTenant()).user).expect(200);
  });

  test('does not lock out a user who logs in from another address', async () => {
    await failTenTimes(t.user.email, ip(1));
    await tryFrom(ip(2), t.user).expect(200);
    await tryFrom(ip(1), t.user).expect(429);
  });

  test('from more and more addresses is limited to two tries per address after a hundred failures', async () => {
    await failHundredTimes(t.user.email);
    await failTwice(ip(99));
    const locked = await tryFrom(ip(99), t.user);
    expect(toProblem(locked)).toMatchObject({ status: 429, code: 'rate_limited' });
    expect((toProblem(locked) as { detail: string }).detail).toContain('2 failed logins in 1 hour');
    await tryFrom(ip(99), (await t.otherTenant()).user).expect(200);
  });

  test('from many addresses does not lock out a user who logs in from another one', async () => {
    await failHundredTimes(t.user.email);
    for (let logIns = 0; logIns < 5; logIns += 1) await tryFrom(ip(98), t.user).expect(200);
    await tryFrom(ip(0), t.user).expect(429);
  });

  test('does not lock out a device that has logged in before, at any address', async () => {
    const device = getDeviceCookie(await tryFrom(ip(50), t.user).expect(200));
    await failHundredTimes(t.user.email);
    await failTwice(ip(99));
    await tryFrom(ip(99), t.user).expect(429);
    await tryFrom(ip(0), t.user).set(device).expect(200);
    await tryFrom(ip(99), t.user).set(device).expect(200);
  });

  test('is blocked after ten failures even from a device that has logged in before', async () => {
    const device = getDeviceCookie(await tryFrom(ip(1), t.user).expect(200));
    const guess = (tries: number) => tryFrom(ip(tries), { ...t.user, password: `guess number ${tries}` }).set(device);
    for (let tries = 0; tries < 10; tries += 1) await guess(tries).expect(401);
    await guess(10).expect(429);
    await tryFrom(ip(1), t.user).set(device).expect(429);
    await tryFrom(ip(1), t.user).expect(200);
  });

  test('gains nothing from the device cookie of another account, or from a forged one', async () => {
    const other = await t.otherTenant();
    const device = getDeviceCookie(await tryFrom(ip(1), other.user).expect(200));
    await failHundredTimes(t.user.email);
    await failTwice(ip(99));
    await tryFrom(ip(99), t.user).set(device).expect(429);
    const [name = '', value = ''] = device.Cookie.split('=');
    for (const forged of ['x.y', '', value.slice(0, -1), `${value.split('.')[0]}.${'A'.repeat(43)}`]) {
      await tryFrom(ip(99), t.user).set('Cookie', `${name}=${forged}`).expect(429);
    }
  });

  test('is blocked in the same way for accounts that do not exist', async () => {
    await failTenTimes(t.user.email, ip(1));
    await failTenTimes('Nobody@example.com', ip(1));
    const [known, unknown] = [
      await tryFrom(ip(1), t.user),
      await tryFrom(ip(1), { email: 'nobody@example.com', password: 'guess guess' }),
    ];
    const { detail: knownDetail, ...knownRest } = toProblem(known) as { detail: string };
    const { detail: unknownDetail, ...unknownRest } = toProblem(unknown) as { detail: string };
    expect(unknownRest).toEqual(knownRest);
    expect(unknownDetail.replace(/\d+ seconds/, '')).toBe(knownDetail.replace(/\d+ seconds/, ''));
  });

  test('for many accounts is blocked after a hundred failures from one address', async () => {
    const guess = (tries: number) => tryFrom(ip(1), { email: `user${tries}@example.com`, password: 'correct horse' });
    for (let tries = 0; tries < 100; tries += 5) {
      const responses = await Promise.all(Array.from({ length: 5 }, (_, index) => guess(tries + index)));
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([401]));
    }
    await tryFrom(ip(1), t.user).expect(429);
    await tryFrom(ip(2), t.user).expect(200);
  });

  test('is counted across all processes', async () => {
    const second = await openSecondInstance(t);
    await second.api.get('/auth/session').expect(401);
    const statuses: number[] = [];
    for (let tries = 0; tries < 12; tries += 1) {
      const api = tries % 2 === 0 ? t.api : second.api;
      statuses.push((await tryAt(api, ip(1), { ...t.user, password: 'wrong horse' })).status);
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.slice(10)).toEqual([429, 429]);
    await second.close();
  });

  test('is limited to ten attempts even in parallel', async () => {
    const guesses = Array.from({ length: 60 }, (_, index) =>
      tryFrom(ip(1), { ...t.user, password: `guess number ${index}` }),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(50);
  });

  test('is no longer held against the account or the address after a successful login', async () => {
    for (let rounds = 0; rounds < 3; rounds += 1) {
      for (let tries = 0; tries < 3; tries += 1)
        await tryFrom(ip(0), { ...t.user, password: 'wrong horse' }).expect(401);
      await tryFrom(ip(0), t.user).expect(200);
    }
    for (let logIns = 0; logIns < 20; logIns += 1) await tryFrom(ip(0), t.user).expect(200);
  });

  test('is counted even while Redis is down', async () => {
    t.ctx.redis.disconnect();
    for (let tries = 0; tries < 10; tries += 1)
      await tryFrom(ip(1), { ...t.user, password: 'wrong horse' }).expect(401);
    await tryFrom(ip(1), t.user).expect(429);
    await tryFrom(ip(1), (await t.otherTenant()).user).expect(200);
  });

  test('stores no email address or IP address in Redis', async () => {
    await tryFrom(ip(7), { ...t.user, password: 'wrong horse' }).expect(401);
    const names = await t.ctx.redis.keys('*');
    expect(names.filter((name) => name.startsWith('login:'))).toHaveLength(3);
    for (const name of names) {
      expect(name).not.toContain(t.user.email);
      expect(name).not.toContain(ip(7));
    }
  });

  test('at a high rate from one address does not hold up logins from another', async () => {
    const flood = Array.from({ length: 90 }, (_, index) =>
      tryFrom(ip(1), { email: `user${index}@example.com`, password: 'guess guess' }).then(({ status }) => status),
    );
    const others = await Promise.all([2, 3, 4].map(async (number) => (await tryFrom(ip(number), t.user)).status));
    expect(others).toEqual([200, 200, 200]);
    expect(await Promise.all(flood)).not.toContain(503);
  });
});
