import type { Context } from '@posthorn/platform';
import { type Db, inPipeline, type Statement } from '@posthorn/platform/postgres';
import { type ClaimedEmail, HANDOFF_INTENT } from './claimed-email-store.js';
import type { Outcome, RecipientResult } from './outcome-store.js';

/**
 * Records in Postgres that the end of the message is about to be sent, and extends the lease. A worker that claims the
 * email later without finding this intent knows that no mail server has the message. The intent is in the row that a
 * claim locks and updates, so a claim either sees it or comes first and makes this return false.
 * @returns false if another worker has claimed the email since. The end of the message must then not be sent
 * @throws Error if the intent might not be in Postgres
 */
export async function writeHandoffIntent(
  db: Db,
  { id, attempt }: Pick<ClaimedEmail, 'id' | 'attempt'>,
  leaseSeconds: number,
): Promise<boolean> {
  const rows = await inPipeline(db, (send) => send(BEGIN_HANDOFF, [id, attempt, leaseSeconds]));
  return rows.length === 1;
}

const BEGIN_HANDOFF: Statement = {
  name: 'begin_handoff',
  text: `
    update deliveries set needs = needs | ${HANDOFF_INTENT}, lease_until = now() + $3::int * interval '1 second'
    where email_id = $1::uuid and attempt = $2::int and lease_until is not null
    returning 1`,
};

/** How long a marker lives, as a multiple of an email's lease. */
const MARKER_LEASES = 20;

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
  const seconds = leaseSeconds * MARKER_LEASES;
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
