import { hash, verify } from '@node-rs/argon2';
import { openFairQueue } from '../fair-queue.js';
import { limits } from '../limits.js';

/** Argon2id, the library's default, with the first configuration in OWASP's Password Storage Cheat Sheet. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/**
 * The hash of a random text. A login with an unknown address is checked against it, so that it takes as long as one
 * with a known address.
 */
const DUMMY_HASH = '$argon2id$v=19$m=19456,t=2,p=1$3H39b98nKfOiUV6O14bByA$ARphC0H1sUrmkWlcd32PrDk1vSwj7LUv8YgbJu3AnI4';

/**
 * A hash takes 19 MiB and about 15 ms of CPU time. Computing two at a time leaves threads of the pool free for other
 * work. When the queue is full, its last entry waits for two seconds.
 */
const queue = openFairQueue({
  atOnce: 2,
  maxWaiting: 256,
  maxWaitingPerSource: limits.waitingPasswords.max,
  what: 'password checks from one client',
});

/**
 * @param source who asks for the hash, usually the network that the request comes from. Sources take turns
 * @throws Refusal rate_limited when too many passwords from the source are waiting; unavailable when too many sources
 *   are waiting. `verifyPassword` throws the same
 */
export async function hashPassword(password: string, source: string): Promise<string> {
  return queue.add(source, () => hash(canonical(password), COST));
}

/** @param passwordHash null if there is no such user; the check then fails, but takes just as long */
export async function verifyPassword(passwordHash: string | null, password: string, source: string): Promise<boolean> {
  const matches = await queue.add(source, () => verify(passwordHash ?? DUMMY_HASH, canonical(password)));
  return matches && passwordHash !== null;
}

/** Some keyboards type a letter as one code point and others as two, so both forms must match. */
function canonical(password: string): string {
  return password.normalize('NFC');
}
