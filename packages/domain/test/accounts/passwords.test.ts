import { cpuUsage } from 'node:process';
import { hashPassword, verifyPassword } from '../../src/accounts/passwords.js';
import type { Refusal } from '../../src/errors.js';

/** CPU time used by all threads of this process, in microseconds. */
async function workOf(job: () => Promise<unknown>): Promise<number> {
  const before = cpuUsage();
  for (let repeats = 0; repeats < 10; repeats += 1) await job();
  return cpuUsage(before).user;
}

describe('passwords', () => {
  test('are hashed with Argon2id at the recommended cost, with a new salt each time', async () => {
    const [one, other] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(other).not.toBe(one);
  });

  test('match only themselves', async () => {
    const hash = await hashPassword('correct horse');
    expect(await verifyPassword(hash, 'correct horse')).toBe(true);
    expect(await verifyPassword(hash, 'correct horsE')).toBe(false);
    expect(await verifyPassword(hash, '')).toBe(false);
  });

  test('match however the keyboard composes accented letters', async () => {
    const hash = await hashPassword('caf\u00e9 au lait');
    expect(await verifyPassword(hash, 'cafe\u0301 au lait')).toBe(true);
  });

  test('of unknown users never match, and take as long to check as a wrong password', async () => {
    const hash = await hashPassword('correct horse');
    expect(await verifyPassword(null, 'correct horse')).toBe(false);
    const known = await workOf(() => verifyPassword(hash, 'wrong'));
    const unknown = await workOf(() => verifyPassword(null, 'wrong'));
    expect(unknown).toBeGreaterThan(known / 2);
    expect(unknown).toBeLessThan(known * 2);
  });

  test('are refused when too many are waiting to be hashed to be hashed', async () => {
    const results = await Promise.allSettled(Array.from({ length: 100 }, () => verifyPassword(null, 'guess')));
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused.length).toBe(36);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'unavailable' } satisfies Partial<Refusal>);
    expect(await verifyPassword(null, 'later')).toBe(false);
  });
});
