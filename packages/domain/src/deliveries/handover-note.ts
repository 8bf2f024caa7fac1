import type { Redis } from 'ioredis';
import { keys } from '../redis/keys.js';
import type { Fate, Outcome } from './outcome.js';

const LEASES_TO_KEEP = 20;

/**
 * Between the next hop's 250 and our row lies a window in which a crash would make a second copy. The
 * note shrinks it to one hop to Redis: whoever reclaims the email looks here first.
 */
export async function noteHandover(
  redis: Redis,
  { id, attempt, fates }: Pick<Outcome, 'id' | 'attempt' | 'fates'>,
  leaseSeconds: number,
): Promise<void> {
  await redis.set(keys.handover(id, attempt), JSON.stringify(fates), 'EX', leaseSeconds * LEASES_TO_KEEP);
}

/** What the next hop's answers to an earlier attempt meant for each recipient, or null when nobody noted it. */
export async function findHandover(
  redis: Redis,
  { id, attempt }: Pick<Outcome, 'id' | 'attempt'>,
): Promise<readonly Fate[] | null> {
  const note = await redis.get(keys.handover(id, attempt));
  return note === null ? null : (JSON.parse(note) as Fate[]);
}
