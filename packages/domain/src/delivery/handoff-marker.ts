import type { Context } from '@posthorn/platform';
import { lifetimes } from '@posthorn/platform/redis';
import type { ClaimedEmail } from './claimed-email.js';
import type { Outcome, RecipientResult } from './outcome-store.js';

/**
 * Without this marker, a crash between the mail server's 250 and our write to Postgres would cause a second copy. The
 * marker shrinks that window to one round trip to Redis, because a worker that reclaims the email looks for the marker
 * first.
 */
export async function writeHandoffMarker(
  { incarnationKeys, redis }: Pick<Context, 'incarnationKeys' | 'redis'>,
  { id, attempt, recipientResults }: Pick<Outcome, 'id' | 'attempt' | 'recipientResults'>,
  leaseSeconds: number,
): Promise<void> {
  const seconds = leaseSeconds * lifetimes.handoffMarkerLeases;
  await redis.set(incarnationKeys.handoff(id, attempt), JSON.stringify(recipientResults), 'EX', seconds);
}

/**
 * The recipient results of earlier attempts that left a marker, newest attempt first. It looks for one
 * marker per ambiguous or unsent attempt, not just the latest, because a worker that found a marker may have stopped
 * before it wrote one of its own. A marker can belong to an attempt that is already recorded.
 * @returns one list of results per marker; attempts without a marker are left out
 */
export async function findHandoffMarkers(
  { incarnationKeys, redis }: Pick<Context, 'incarnationKeys' | 'redis'>,
  {
    id,
    attempt,
    ambiguousAttempts,
    unsentAttempts,
  }: Pick<ClaimedEmail, 'id' | 'attempt' | 'ambiguousAttempts' | 'unsentAttempts'>,
): Promise<Array<readonly RecipientResult[]>> {
  const count = Math.min(ambiguousAttempts + unsentAttempts, attempt - 1);
  if (ambiguousAttempts === 0 || count < 1) return [];
  const markers = await redis.mget(
    Array.from({ length: count }, (_, i) => incarnationKeys.handoff(id, attempt - 1 - i)),
  );
  return markers.filter((marker) => marker !== null).map((marker) => JSON.parse(marker) as RecipientResult[]);
}
