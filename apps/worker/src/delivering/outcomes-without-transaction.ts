import type { ClaimedEmail, Outcome } from '@posthorn/domain/delivery';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { computePause } from '@posthorn/platform/values';
import type { NoRoute } from '../smtp/failover.js';
import { buildAmbiguousEvent, buildOutcome, findLostWorkerEvent, UNCHARGED } from './build-outcome.js';
import { buildSameResults, giveUp } from './recipient-results.js';
import { isExpired, isTooOld } from './retry-schedule.js';

type Clock = Pick<Context, 'now'>;

const TOO_MANY_AMBIGUOUS = 'Gave up: too many attempts ended without a known result';
const TOO_MANY_UNSENT = 'Gave up: too many workers stopped before they had sent the whole message';

/** The outcome of an email that may no longer be sent; null for any other. */
export function findLateOutcome(ctx: Clock, email: ClaimedEmail): Outcome | null {
  if (email.ambiguousAttempts > limits.ambiguousAttempts.max)
    return buildUnsendableOutcome(ctx, email, TOO_MANY_AMBIGUOUS);
  if (email.unsentAttempts > limits.unsentAttempts.max) return buildUnsendableOutcome(ctx, email, TOO_MANY_UNSENT);
  return isExpired(ctx, email) || isTooOld(ctx, email) ? buildLateOutcome(ctx, email) : null;
}

/** Defaults for an attempt that ends the email and contacts no server. */
const FINAL = { ...UNCHARGED, outcome: 'failed', phase: 'render', retryInSeconds: null } as const;

/** No relay could be used. The email waits, and the attempt is not charged. */
export function buildNoRouteOutcome(ctx: Clock, email: ClaimedEmail, noRoute: NoRoute, pauseSeconds: number): Outcome {
  const { phase, route, conversation, fault } = noRoute;
  return buildWaitOutcome(ctx, email, fault, {
    outcome: 'route_fault',
    phase,
    route,
    conversation,
    retryInSeconds: pauseSeconds,
  });
}

/** The pauses between attempts, in seconds, while a template or signing key cannot be read. */
const BACKOFF = { first: 2, max: 300 };

/** A template or signing key cannot be read. No server was contacted, and the email waits longer each time. */
export function buildPostponedOutcome(ctx: Clock, email: ClaimedEmail, why: string): Outcome {
  const retryInSeconds = computePause(email.attempt, BACKOFF);
  return buildWaitOutcome(ctx, email, why, {
    outcome: 'deferred',
    phase: 'render',
    route: null,
    conversation: [],
    retryInSeconds,
  });
}

type Wait = Pick<Outcome, 'outcome' | 'phase' | 'route' | 'conversation'> & { retryInSeconds: number };

/** Waiting does not use up the retry schedule, but an email that is too old stops waiting and fails. */
function buildWaitOutcome(ctx: Clock, email: ClaimedEmail, why: string, wait: Wait): Outcome {
  const results = isTooOld(ctx, email, wait.retryInSeconds) ? buildSameResults(email, 'deferred', why).map(giveUp) : [];
  return buildOutcome(ctx, email, results, { ...UNCHARGED, ...wait });
}

/** The lease ended before the first byte was sent. No server has the message, so the email is due at once. */
export function buildLeaseEndedOutcome(ctx: Clock, email: ClaimedEmail): Outcome {
  return buildOutcome(ctx, email, [], { ...UNCHARGED, outcome: 'deferred', phase: 'envelope', retryInSeconds: 0 });
}

/** The previous worker stopped, the server may have the message, and AMBIGUOUS_POLICY=hold forbids sending it again. */
export function buildHeldOutcome(ctx: Clock, email: ClaimedEmail): Outcome {
  const why = 'The worker stopped while delivering the email';
  const results = buildSameResults(email, 'deferred', why).map(giveUp);
  const event = buildAmbiguousEvent(why, 'held');
  return buildOutcome(ctx, email, results, {
    ...UNCHARGED,
    outcome: 'ambiguous',
    phase: 'reply',
    retryInSeconds: null,
    event,
  });
}

/** The email can never be sent. No server was contacted in this attempt. */
export function buildUnsendableOutcome(ctx: Clock, email: ClaimedEmail, reason: string): Outcome {
  return buildOutcome(ctx, email, buildSameResults(email, 'failed', reason), FINAL);
}

/**
 * The outcome of an email that, according to Postgres' clock, may no longer be sent. That clock may be ahead of ours.
 */
export function buildLateOutcome(ctx: Clock, email: ClaimedEmail): Outcome {
  const status = email.expiresAt === null ? 'failed' : 'expired';
  const results = buildSameResults(email, status, describeLateness(email));
  return buildOutcome(ctx, email, results, { ...FINAL, event: findLostWorkerEvent(email) });
}

function describeLateness({ expiresAt, ambiguousAttempts }: ClaimedEmail): string {
  const expired = `Expired at ${expiresAt?.toISOString()}`;
  const hours = `${limits.maxAgeHours.max} hours`;
  // After an ambiguous attempt, nobody knows whether the email was sent.
  if (ambiguousAttempts > 0) {
    const why = expiresAt === null ? `Gave up ${hours} after the email was due` : expired;
    return `${why}. A mail server may already have it, because the result of an earlier attempt is unknown`;
  }
  if (expiresAt !== null) return `${expired}, before it could be sent`;
  return `Gave up: the email could not be sent within ${hours} of its due time`;
}
