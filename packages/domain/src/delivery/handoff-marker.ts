import type { Context } from '@posthorn/platform';
import type { ClaimedEmail } from './claimed-email.js';
import type { Outcome, RecipientResult } from './outcome-store.js';

/** How long a marker lives, as a multiple of an email's lease. */
const LEASES = 20;

/** The key of an attempt's marker. The braces mark a hash tag, so that the markers of one email share a slot. */
export function buildHandoffKey(
  { incarnation }: Pick<Context, 'incarnation'>,
  emailId: string,
  attempt: number,
): string {
  return incarnation.key(`{${emailId}}:handoff:${attempt}`);
}

/**
 * Without this marker, a crash between the mail server's 250 and our write to Postgres would cause a second copy. The
 * marker shrinks that window to one round trip to Redis, because a worker that reclaims the email looks for the marker
 * first.
 */
export async function writeHandoffMarker(
  ctx: Pick<Context, 'incarnation' | 'redis'>,
  { id, attempt, recipientResults }: Pick<Outcome, 'id' | 'attempt' | 'recipientResults'>,
  leaseSeconds: number,
): Promise<void> {
  const seconds = leaseSeconds * LEASES;
  await ctx.redis.set(buildHandoffKey(ctx, id, attempt), JSON.stringify(recipientResults), 'EX', seconds);
}

/**
 * The recipient results of earlier attempts that left a marker, newest attempt first. It looks for one
 * marker per ambiguous or unsent attempt, not just the latest, because a worker that found a marker may have stopped
 * before it wrote one of its own. A marker can belong to an attempt that is already recorded.
 * @returns one list of results per marker; attempts without a marker are left out
 */
export async function findHandoffMarkers(
  ctx: Pick<Context, 'incarnation' | 'redis'>,
  {
    id,
    attempt,
    ambiguousAttempts,
    unsentAttempts,
  }: Pick<ClaimedEmail, 'id' | 'attempt' | 'ambiguousAttempts' | 'unsentAttempts'>,
): Promise<Array<readonly RecipientResult[]>> {
  const count = Math.min(ambiguousAttempts + unsentAttempts, attempt - 1);
  if (ambiguousAttempts === 0 || count < 1) return [];
  const markers = await ctx.redis.mget(
    Array.from({ length: count }, (_, i) => buildHandoffKey(ctx, id, attempt - 1 - i)),
  );
  return markers.filter((marker) => marker !== null).map((marker) => JSON.parse(marker) as RecipientResult[]);
}
