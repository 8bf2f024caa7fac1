import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { limits } from '@posthorn/domain/limits';
import { createFairQueue, runInTurn } from '@posthorn/domain/throttles';

/** Argon2id (the library's default) with the first configuration from OWASP's Password Storage Cheat Sheet. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/**
 * The hash of a random string. Passwords for unknown addresses are checked against it, so that
 * checking them takes just as long.
 */
const DUMMY_HASH = '$argon2id$v=19$m=19456,t=2,p=1$3H39b98nKfOiUV6O14bByA$ARphC0H1sUrmkWlcd32PrDk1vSwj7LUv8YgbJu3AnI4';

/**
 * Computing a hash takes 19 MiB of memory and about 15 ms on one core. One core stays free for everything else, and two
 * hashes at a time leave threads in the pool. When the queue is full, its last entry waits for two seconds.
 */
const turns = createFairQueue({
  atOnce: Math.max(1, Math.min(2, availableParallelism() - 1)),
  line: {
    maxWaiting: 64,
    maxWaitingPerSource: limits.waitingPasswords.max,
    refusal: {
      limit: `${limits.waitingPasswords.max} simultaneous password checks from one client`,
      retryAfterSeconds: 1,
    },
  },
});

/**
 * @param source the source to queue the hash under, usually the network that the request comes from
 * @throws Refusal rate_limited if too many passwords from the source are waiting; unavailable if too many sources are
 *   waiting. `verifyPassword` throws the same refusals
 */
export async function hashPassword(password: string, source: string): Promise<string> {
  return inTurn(source, () => hash(canonical(password), COST));
}

/** @param passwordHash null if there is no such user; the check then takes just as long and returns false */
export async function verifyPassword(passwordHash: string | null, password: string, source: string): Promise<boolean> {
  const matches = await inTurn(source, () => verify(passwordHash ?? DUMMY_HASH, canonical(password)));
  return matches && passwordHash !== null;
}

/** All hashes share one line, in which the sources take turns. */
function inTurn<Result>(source: string, work: () => Promise<Result>): Promise<Result> {
  return runInTurn(turns, { owner: 'hashes', source }, work);
}

/** Some keyboards enter a letter as one code point, others as two. Both forms must match. */
function canonical(password: string): string {
  return password.normalize('NFC');
}
