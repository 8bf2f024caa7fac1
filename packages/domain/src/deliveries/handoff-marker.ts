import type { Redis } from 'ioredis';
import { keys } from '../redis/keys.js';
import type { ClaimedEmail } from './claimed-email.js';
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

/**
 * What the next hop's answers to earlier attempts meant for each recipient, the newest attempt first. It looks
 * back by as many attempts as ended ambiguous, not by one: the worker that found a note may have vanished as
 * well, before it noted anew under its own attempt. If others lie between them, the note of one whose outcome is
 * in Postgres may be among those found.
 * @returns nothing for attempts that nobody noted
 */
export async function findHandovers(
  redis: Redis,
  { id, attempt, ambiguousAttempts }: Pick<ClaimedEmail, 'id' | 'attempt' | 'ambiguousAttempts'>,
): Promise<Array<readonly Fate[]>> {
  const count = Math.min(ambiguousAttempts, attempt - 1);
  if (count < 1) return [];
  const notes = await redis.mget(Array.from({ length: count }, (_, i) => keys.handover(id, attempt - 1 - i)));
  return notes.filter((note) => note !== null).map((note) => JSON.parse(note) as Fate[]);
}
