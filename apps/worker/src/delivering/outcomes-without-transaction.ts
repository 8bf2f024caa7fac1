import type { SuppressionReason } from '@posthorn/contract';
import {
  type ClaimedEmail,
  type ClaimedRecipient,
  type Outcome,
  pendingRecipients,
  type RecipientResult,
} from '@posthorn/domain/delivery';
import { limits } from '@posthorn/domain/limits';
import type { FindSuppressed } from '@posthorn/domain/suppressions';
import { isUnavailable } from '@posthorn/platform/postgres';
import type { NoRoute } from '../smtp/failover.js';
import { buildAmbiguousEvent, buildOutcome, findLostWorkerEvent, UNCHARGED } from './build-outcome.js';
import { buildSameResults, giveUp, toResult } from './recipient-results.js';
import { isExpired, isTooOld } from './retry-schedule.js';

const TOO_MANY_AMBIGUOUS = 'Gave up: too many attempts ended without a known result';
const TOO_MANY_UNSENT = 'Gave up: too many workers stopped before they had sent the whole message';

/** The outcome of an email that may no longer be sent; null for any other. */
export function findLateOutcome(email: ClaimedEmail): Outcome | null {
  if (email.ambiguousAttempts > limits.ambiguousAttempts.max) return buildUnsendableOutcome(email, TOO_MANY_AMBIGUOUS);
  if (email.unsentAttempts > limits.unsentAttempts.max) return buildUnsendableOutcome(email, TOO_MANY_UNSENT);
  return isExpired(email) || isTooOld(email) ? buildLateOutcome(email) : null;
}

/**
 * The outcome of an email that, according to Postgres' clock, may no longer be sent. That clock may be ahead of ours.
 */
export function buildLateOutcome(email: ClaimedEmail): Outcome {
  return email.expiresAt === null ? buildTooOldOutcome(email) : buildExpiredOutcome(email);
}

const WHY: Readonly<Record<SuppressionReason, string>> = {
  hard_bounce: 'Suppressed: an earlier email to this address bounced',
  complaint: 'Suppressed: the recipient marked an earlier email as spam',
  unsubscribe: 'Suppressed: the recipient has unsubscribed',
  manual: 'Suppressed: the address was added to the suppression list',
};
const FOR_ALL_WORKSPACES = 'Suppressed: the operator of this service has suppressed the address for all workspaces';

/**
 * The results of the recipients that must not get the email. This is checked here, right before the email is sent,
 * because a scheduled email may have been accepted weeks ago. Test mail is never sent, so it is not checked.
 * @returns the outcome if nobody is left, or if the suppressions cannot be read
 */
export async function findSuppressedRecipients(
  ctx: { readonly findSuppressed: FindSuppressed },
  email: ClaimedEmail,
): Promise<{ results: readonly RecipientResult[] } | { outcome: Outcome }> {
  if (!email.hasSuppressions || email.isTest) return { results: [] };
  const recipients = pendingRecipients(email);
  const { workspaceId, topic } = email;
  try {
    const addresses = recipients.map(({ address }) => address);
    const suppressed = await ctx.findSuppressed({ workspaceId, topic, addresses });
    const results = recipients.flatMap((recipient) => {
      const found = suppressed.get(recipient.address);
      return found
        ? [toSuppressedResult(recipient, found.isForAllWorkspaces ? FOR_ALL_WORKSPACES : WHY[found.reason])]
        : [];
    });
    return results.length < recipients.length ? { results } : { outcome: buildSuppressedOutcome(email, results) };
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return { outcome: buildPostponedOutcome(email, 'The suppressions could not be read') };
  }
}

function toSuppressedResult(recipient: ClaimedRecipient, text: string): RecipientResult {
  return { ...toResult(recipient, 'suppressed', { code: null, text }), isRefunded: true };
}

/** Every recipient that was still waiting is suppressed, so no server is contacted. */
function buildSuppressedOutcome(email: ClaimedEmail, results: readonly RecipientResult[]): Outcome {
  return buildOutcome(email, results, { ...UNCHARGED, outcome: 'failed', phase: 'envelope', retryInSeconds: null });
}

/** The first pause when a template or signing key cannot be read. It doubles with every attempt. */
const FIRST_PAUSE_SECONDS = 2;
const MAX_PAUSE_SECONDS = 300;

/** Defaults for an attempt that ends the email and contacts no server. */
const FINAL = { ...UNCHARGED, outcome: 'failed', phase: 'render', retryInSeconds: null } as const;

/** No relay could be used. The email waits, and the attempt is not charged. */
export function buildNoRouteOutcome(email: ClaimedEmail, noRoute: NoRoute, pauseSeconds: number): Outcome {
  const { phase, route, conversation, fault } = noRoute;
  return buildWaitOutcome(email, fault, {
    outcome: 'route_fault',
    phase,
    route,
    conversation,
    retryInSeconds: pauseSeconds,
  });
}

/** A template or signing key cannot be read. No server was contacted, and the email waits longer each time. */
export function buildPostponedOutcome(email: ClaimedEmail, why: string): Outcome {
  const retryInSeconds = Math.min(FIRST_PAUSE_SECONDS * 2 ** (email.attempt - 1), MAX_PAUSE_SECONDS);
  return buildWaitOutcome(email, why, {
    outcome: 'deferred',
    phase: 'render',
    route: null,
    conversation: [],
    retryInSeconds,
  });
}

type Wait = Pick<Outcome, 'outcome' | 'phase' | 'route' | 'conversation'> & { retryInSeconds: number };

/** Waiting does not use up the retry schedule, but an email that is too old stops waiting and fails. */
function buildWaitOutcome(email: ClaimedEmail, why: string, wait: Wait): Outcome {
  const results = isTooOld(email, wait.retryInSeconds) ? buildSameResults(email, 'deferred', why).map(giveUp) : [];
  return buildOutcome(email, results, { ...UNCHARGED, ...wait });
}

/** The lease ended before the first byte was sent. No server has the message, so the email is due at once. */
export function buildLeaseEndedOutcome(email: ClaimedEmail): Outcome {
  return buildOutcome(email, [], { ...UNCHARGED, outcome: 'deferred', phase: 'envelope', retryInSeconds: 0 });
}

/** The previous worker stopped, the server may have the message, and AMBIGUOUS_POLICY=hold forbids sending it again. */
export function buildHeldOutcome(email: ClaimedEmail): Outcome {
  const why = 'The worker stopped while delivering the email';
  const results = buildSameResults(email, 'deferred', why).map(giveUp);
  const event = buildAmbiguousEvent(why, 'held');
  return buildOutcome(email, results, {
    ...UNCHARGED,
    outcome: 'ambiguous',
    phase: 'reply',
    retryInSeconds: null,
    event,
  });
}

/** The email's expires_at has passed. */
function buildExpiredOutcome(email: ClaimedEmail): Outcome {
  const expired = `Expired at ${email.expiresAt?.toISOString()}`;
  return buildTooLateOutcome(email, 'expired', { text: `${expired}, before it could be sent`, ifAmbiguous: expired });
}

/** The email has been due for too long. */
function buildTooOldOutcome(email: ClaimedEmail): Outcome {
  const hours = `${limits.maxAgeHours.max} hours`;
  return buildTooLateOutcome(email, 'failed', {
    text: `Gave up: the email could not be sent within ${hours} of its due time`,
    ifAmbiguous: `Gave up ${hours} after the email was due`,
  });
}

/** After an ambiguous attempt, nobody knows whether the email was sent. */
function buildTooLateOutcome(
  email: ClaimedEmail,
  status: 'expired' | 'failed',
  { text, ifAmbiguous }: { text: string; ifAmbiguous: string },
): Outcome {
  const mayHaveIt = 'A mail server may already have it, because the result of an earlier attempt is unknown';
  const results = buildSameResults(email, status, email.ambiguousAttempts > 0 ? `${ifAmbiguous}. ${mayHaveIt}` : text);
  return buildOutcome(email, results, { ...FINAL, event: findLostWorkerEvent(email) });
}

/** The email can never be sent. No server was contacted in this attempt. */
export function buildUnsendableOutcome(email: ClaimedEmail, reason: string): Outcome {
  return buildOutcome(email, buildSameResults(email, 'failed', reason), FINAL);
}
