import { cpuUsage } from 'node:process';
import { hashPassword, verifyPassword } from '../../src/accounts/password-hash.js';
import type { Refusal } from '../../src/errors/errors.js';

/** CPU time that ten runs of a job take on all threads of this process, in microseconds. */
async function measureWork(job: () => Promise<unknown>): Promise<number> {
  const before = cpuUsage();
  for (let repeats = 0; repeats < 10; repeats += 1) await job();
  return cpuUsage(before).user;
}

const hash = (password: string) => hashPassword(password, 'here');
const verify = (passwordHash: string | null, password: string) => verifyPassword(passwordHash, password, 'here');

describe('passwords', () => {
  test('are hashed with Argon2id at the recommended cost, with a new salt each time', async () => {
    const [one, other] = await Promise.all([hash('correct horse'), hash('correct horse')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(other).not.toBe(one);
  });

  test('match only themselves', async () => {
    const passwordHash = await hash('correct horse');
    expect(await verify(passwordHash, 'correct horse')).toBe(true);
    expect(await verify(passwordHash, 'correct horsE')).toBe(false);
    expect(await verify(passwordHash, '')).toBe(false);
  });

  test('match regardless of how the keyboard composes accented letters', async () => {
    const passwordHash = await hash('caf\u00e9 au lait');
    expect(await verify(passwordHash, 'cafe\u0301 au lait')).toBe(true);
  });

  test('of unknown users never match, and take as long to check as a wrong password', async () => {
    const passwordHash = await hash('correct horse');
    expect(await verify(null, 'correct horse')).toBe(false);
    const known = await measureWork(() => verify(passwordHash, 'wrong'));
    const unknown = await measureWork(() => verify(null, 'wrong'));
    expect(unknown).toBeGreaterThan(known / 2);
    expect(unknown).toBeLessThan(known * 2);
  });

  test('of one client are refused when too many are waiting, but not those of other clients', async () => {
    const flood = Array.from({ length: 30 }, () => verify(null, 'guess'));
    const others = ['there', 'elsewhere'].map((source) => verifyPassword(null, 'guess', source));
    const results = await Promise.allSettled(flood);
    const refused = results.filter((result) => result.status === 'rejected');
    // Eight wait, and one or two run, depending on how many cores there are.
    expect([20, 21]).toContain(refused.length);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'rate_limited' } satisfies Partial<Refusal>);
    expect(await Promise.all(others)).toEqual([false, false]);
    expect(await verify(null, 'later')).toBe(false);
  });
});
