import {
  type ClaimedEmail,
  type ClaimedRecipient,
  findHandoffMarkers,
  listPendingRecipients,
  type Outcome,
  type RecipientResult,
  writeHandoffIntent,
  writeHandoffMarker,
} from '@posthorn/domain/delivery';
import { type LoggedEmail, toLogFields } from '@posthorn/domain/emails';
import type { Context } from '@posthorn/platform';
import { isUnavailable } from '@posthorn/platform/postgres';
import { IntentNotWritten } from '../smtp/send-message.js';
import {
  buildAmbiguousEvent,
  buildOutcome,
  buildPartResults,
  deriveAttemptOutcome,
  UNCHARGED,
} from './build-outcome.js';
import { giveUp, toResult } from './recipient-results.js';
import { isTried, type SentPart } from './send-parts.js';

/**
 * Records in Postgres that the end of a large message is about to be sent. If this worker stops before that, the next
 * one knows that no server has the message.
 * @returns false if the lease has ended: another worker may have claimed the email, so the end must not be sent
 * @throws IntentNotWritten
 */
export async function saveIntent(ctx: Pick<Context, 'config' | 'db' | 'log'>, email: ClaimedEmail): Promise<boolean> {
  const { leaseSeconds } = ctx.config;
  const liveUntil = performance.now() + leaseSeconds * 1_000;
  try {
    return (await writeHandoffIntent(ctx.db, email, leaseSeconds)) && performance.now() < liveUntil;
  } catch (error) {
    ctx.log[isUnavailable(error) ? 'warn' : 'error']({ error, ...toLogFields(email) }, 'handoff_intent_not_written');
    throw new IntentNotWritten();
  }
}

/**
 * Writes a marker to Redis with the results of an attempt, before Postgres records them. If Redis is unavailable,
 * the attempt has no marker.
 */
export async function saveHandoff(
  ctx: Pick<Context, 'config' | 'log' | 'incarnation' | 'redis'>,
  outcome: LoggedEmail & Pick<Outcome, 'attempt' | 'recipientResults'>,
): Promise<void> {
  if (!hasSent(outcome.recipientResults)) return;
  try {
    // This marker is written immediately instead of being grouped with others. If the worker stopped while it waited
    // for them, the email would be sent twice.
    await writeHandoffMarker(ctx, outcome, ctx.config.leaseSeconds);
  } catch (error) {
    ctx.log.debug({ error, ...toLogFields(outcome) }, 'handoff_marker_not_written');
  }
}

type Partial = {
  readonly email: ClaimedEmail;
  readonly recipients: readonly ClaimedRecipient[];
  readonly ended: readonly SentPart[];
};

/** Writes the marker of an attempt whose other parts have not ended yet, so their results are unknown. */
export async function savePartialHandoff(
  ctx: Pick<Context, 'config' | 'log' | 'incarnation' | 'redis' | 'now'> & Parameters<typeof buildPartResults>[0],
  { email: { id, attempt, requestId = null, traceparent = null }, recipients, ended }: Partial,
): Promise<void> {
  const known = ended.filter(isTried).flatMap((part) => buildPartResults(ctx, recipients, part));
  if (!hasSent(known)) return;
  const running = recipients.filter(({ address }) => !ended.some(({ to }) => to.includes(address)));
  const unknown = running.map((recipient) => ({
    ...toResult(recipient, 'deferred', UNKNOWN),
    isUnknown: true as const,
  }));
  await saveHandoff(ctx, { id, attempt, requestId, traceparent, recipientResults: [...known, ...unknown] });
}

const UNKNOWN = { code: null, text: 'The worker stopped while it sent the message' };

/**
 * Recovers the outcome if the previous worker stopped after the server accepted the message but before Postgres
 * recorded the outcome, so that the message is not sent again.
 * @returns null if no worker stopped, no marker is found, or Redis is unavailable. Without a marker, the result of the
 *   previous attempt is unknown.
 */
export async function recoverHandoff(
  ctx: Pick<Context, 'config' | 'log' | 'incarnation' | 'now' | 'redis'>,
  email: ClaimedEmail,
): Promise<Outcome | null> {
  if (!email.reclaimed) return null;
  const markers = await readMarkers(ctx, email);
  const results = markers.map((marker) => stillPending(marker, email)).find(hasSent);
  if (!results) return null;
  const isHeld = ctx.config.ambiguousPolicy === 'hold';
  const isPartial = results.some(({ isUnknown }) => isUnknown);
  const known = isHeld ? results.map((result) => (result.isUnknown ? giveUp(result) : result)) : results;
  return buildOutcome(ctx, email, known, {
    ...UNCHARGED,
    retryInSeconds: 0,
    outcome: isPartial ? 'ambiguous' : deriveAttemptOutcome(results),
    phase: 'reply',
    event: isPartial ? buildAmbiguousEvent(UNKNOWN.text, isHeld ? 'held' : 'retry') : RECOVERED,
  });
}

const RECOVERED = {
  type: 'recovered',
  detail:
    'The worker stopped after the server accepted the message. The result was recovered, so the message is not sent again.',
} as const;

async function readMarkers(
  ctx: Pick<Context, 'log' | 'incarnation' | 'redis'>,
  email: ClaimedEmail,
): Promise<Array<readonly RecipientResult[]>> {
  try {
    return await findHandoffMarkers(ctx, email);
  } catch (error) {
    ctx.log.warn({ error, ...toLogFields(email) }, 'handoff_marker_not_read');
    return [];
  }
}

/**
 * Drops recipients that are no longer pending. If Postgres has already recorded the attempt, this drops every recipient
 * that was sent the message, so the marker is ignored. If it were used, the message would be sent again to the
 * recipients that were deferred, even with AMBIGUOUS_POLICY=hold.
 */
function stillPending(marker: readonly RecipientResult[], email: ClaimedEmail): readonly RecipientResult[] {
  const pending = new Set(listPendingRecipients(email).map(({ position }) => position));
  return marker.filter(({ position }) => pending.has(position));
}

function hasSent(results: readonly RecipientResult[]): boolean {
  return results.some(({ status }) => status === 'sent');
}
