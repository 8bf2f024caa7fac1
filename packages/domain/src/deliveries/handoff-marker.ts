import type { Redis } from 'ioredis';
import { keys } from '../redis/keys.js';
import { lifetimes } from '../redis/lifetimes.js';
import type { ClaimedEmail } from './claimed-email.js';
import type { Outcome, RecipientResult } from './outcome.js';

/**
 * Without this marker, a crash between the next hop's 250 and our write to Postgres would cause a second copy. The
 * marker shrinks that window to one round trip to Redis, because a worker that reclaims the email looks for the marker
 * first.
 */
export async function writeHandoffMarker(
  redis: Redis,
  { id, attempt, recipientResults }: Pick<Outcome, 'id' | 'attempt' | 'recipientResults'>,
  leaseSeconds: number,
): Promise<void> {
  const seconds = leaseSeconds * lifetimes.handoffMarkerLeases;
  await redis.set(keys.handoff(id, attempt), JSON.stringify(recipientResults), 'EX', seconds);
}

/**
 * Reads the recipient results of earlier attempts that left a marker, newest attempt first. It looks at more than the
 * latest attempt, because a worker that found a marker may itself have stopped before it wrote its own. The number of
 * ambiguous attempts limits how far it looks back. A marker can belong to an attempt that is already recorded.
 * @returns nothing for attempts without a marker
 */
export async function findHandoffMarkers(
  redis: Redis,
  { id, attempt, ambiguousAttempts }: Pick<ClaimedEmail, 'id' | 'attempt' | 'ambiguousAttempts'>,
): Promise<Array<readonly RecipientResult[]>> {
  const count = Math.min(ambiguousAttempts, attempt - 1);
  if (count < 1) return [];
  const markers = await redis.mget(Array.from({ length: count }, (_, i) => keys.handoff(id, attempt - 1 - i)));
  return markers.filter((marker) => marker !== null).map((marker) => JSON.parse(marker) as RecipientResult[]);
}
