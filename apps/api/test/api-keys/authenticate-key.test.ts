import { type Scope, scopes } from '@posthorn/contract';
import { createKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { routes } from '../../src/app.js';
import { PAUSE_WITHOUT_CREDENTIAL_MS } from '../../src/request-steps/take-turn.js';
import { listScopes } from '../../src/routing/access.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { toProblem } from '../to-problem.js';
import { guessedKey, withChecksum, withOtherSecret } from './forged-keys.js';

describe('an API key', () => {
  let t: TestApi;
  let now: Date;
  beforeEach(async () => {
    now = new Date('2026-03-01T12:00:00.000Z');
    t = await openTestApi({ now: () => now, ownDatabase: 'it has a clock of its own' });
  });
  afterEach(() => t.close());

  const ask = (authorization: string) => t.api.get('/api/v1/emails').set('Authorization', authorization);
  const make = async (wanted: { scopes?: Scope[]; expiresAt?: Date }) =>
    (
      await createKey(t.ctx, operator, t.workspace.id, {
        name: 'CI',
        scopes: ['emails:send'],
        expiresAt: null,
        ...wanted,
      })
    ).text;

  test('gets the same 401 if it is malformed, mistyped, unknown, revoked or expired', async () => {
    const expired = await make({ expiresAt: new Date(now.getTime() + 1) });
    const revoked = await make({});
    await t.ctx
      .db('api_keys')
      .where({ hint: revoked.slice(-4) })
      .update({ revoked_at: now });
    now = new Date(now.getTime() + 1);
    const wrong = [
      'Bearer',
      'Bearer ',
      'Basic dXNlcjpwYXNz',
      `${t.key}`,
      `Bearer ${t.key} ${t.key}`,
      'Bearer ph_short',
      `Bearer ${t.key.slice(0, -1)}${t.key.endsWith('0') ? '1' : '0'}`,
      `Bearer ${withOtherSecret(t.key)}`,
      `Bearer ${guessedKey()}`,
      `Bearer ${withChecksum(`ph_${'z'.repeat(54)}`)}`,
      `Bearer ${expired}`,
      `Bearer ${revoked}`,
    ];
    const responses = await Promise.all(wrong.map((authorization) => ask(authorization)));
    for (const response of responses) {
      expect(toProblem(response)).toEqual({ ...toProblem(await t.api.get('/api/v1/emails')) });
      expect(response.status).toBe(401);
      expect(response.headers['www-authenticate']).toBe('Bearer');
    }
    await ask(`bearer ${t.key}`).expect(200);
  });

  test('works until the moment it expires', async () => {
    const key = await make({ expiresAt: new Date('2026-03-02T00:00:00.000Z') });
    now = new Date('2026-03-01T23:59:59.999Z');
    await ask(`Bearer ${key}`).expect(200);
    now = new Date('2026-03-02T00:00:00.000Z');
    await ask(`Bearer ${key}`).expect(401);
  });

  test('is ignored in the query string and in a cookie', async () => {
    await t.api.get(`/api/v1/templates?api_key=${t.key}&access_token=${t.key}`).expect(401);
    await t.api.get('/api/v1/templates').set('Cookie', `posthorn_session=${t.key}`).expect(401);
  });

  test('can call only the routes that its scopes allow', async () => {
    for (const scope of scopes) {
      const auth = { Authorization: `Bearer ${await make({ scopes: [scope] })}` };
      for (const { method, path, access } of routes) {
        const { status, body } = await t.api[method](path.replaceAll(/:\w+/g, 'x')).set(auth);
        const needed = listScopes(access);
        if (needed !== null && !needed.includes(scope)) {
          expect([path, status, body.code]).toEqual([path, 403, 'missing_scope']);
          for (const name of needed) expect(body.detail).toContain(name);
        } else if (access === 'session' || access === 'owner')
          expect([path, status, body.code]).toEqual([path, 401, 'unauthenticated']);
        else expect([path, [401, 403].includes(status)]).toEqual([path, false]);
      }
    }
  });

  test('gets a 401 that asks for a session on endpoints that need one, whether or not it is valid', async () => {
    const answers = [`Bearer ${t.key}`, `Bearer ${guessedKey()}`].map((authorization) =>
      t.api.get('/billing/usage').set('Authorization', authorization),
    );
    for (const answer of [...answers, t.api.get('/billing/usage')]) {
      const { status, body, headers } = await answer;
      expect([status, body.code, headers['www-authenticate']]).toEqual([401, 'unauthenticated', 'Bearer']);
      expect(body.detail).toBe(
        'This endpoint requires a session and cannot be called with an API key. Log in to the dashboard, or send the cookie that POST /auth/login sets.',
      );
    }
  });

  test('that is guessed gets the client address blocked, without a database query per guess', async () => {
    let queries = 0;
    t.ctx.db.on('query', ({ sql }) => {
      if (sql.includes('secret_hash')) queries += 1;
    });
    const statuses: number[] = [];
    for (let batch = 0; batch < 20; batch += 1) {
      const responses = await Promise.all(Array.from({ length: 50 }, () => ask(`Bearer ${guessedKey()}`)));
      statuses.push(...responses.map(({ status }) => status));
    }
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(statuses.slice(-500).every((status) => status === 429)).toBe(true);
    expect(queries).toBeGreaterThan(0);
    expect(queries).toBeLessThanOrEqual(350);
    const { headers } = await ask(`Bearer ${t.key}`).expect(429);
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
  });

  test('that is guessed makes the client address pause, and a valid one does not', async () => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const pauses = () => timers.mock.calls.filter(([, ms]) => ms === PAUSE_WITHOUT_CREDENTIAL_MS).length;
    await ask(`Bearer ${guessedKey()}`).expect(401);
    expect(pauses()).toBe(1);
    await ask(`Bearer ${t.key}`).expect(200);
    expect(pauses()).toBe(1);
    timers.mockRestore();
  });

  test('that has already worked still works from a blocked address until it is revoked', async () => {
    const cookie = await t.login();
    await ask(`Bearer ${t.key}`).expect(200);
    await t.api.get('/auth/session').set(cookie).expect(200);
    for (let batch = 0; batch < 7; batch += 1) {
      await Promise.all(Array.from({ length: 50 }, () => ask(`Bearer ${guessedKey()}`)));
    }
    await ask(`Bearer ${guessedKey()}`).expect(429);
    await ask(`Bearer ${withOtherSecret(t.key)}`).expect(429);
    await ask(`Bearer ${t.key}`).expect(200);
    await t.api.get('/auth/session').set(cookie).expect(200);
    await t.api.delete(`/api/v1/api-keys/${t.keyId}`).set(cookie).expect(200);
    const statuses = new Set<number>();
    while (!statuses.has(429)) statuses.add((await ask(`Bearer ${t.key}`)).status);
    expect(statuses).toContain(401);
  });

  test('that is mistyped never causes a database query', async () => {
    let queries = 0;
    t.ctx.db.on('query', () => {
      queries += 1;
    });
    await ask(`Bearer ${t.key.slice(0, -1)}`).expect(401);
    await ask(`Bearer ${t.key.replace('ph_', 'ph_0').slice(0, -1)}`).expect(401);
    expect(queries).toBe(0);
  });
});
