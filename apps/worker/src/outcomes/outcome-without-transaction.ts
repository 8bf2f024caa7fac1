import type { ClaimedEmail, Outcome } from '@posthorn/domain/delivery';
import { limits } from '@posthorn/domain/limits';
import type { NoRoute } from '../smtp/send-result.js';
import { ambiguousEvent, lostWorkerEvent } from './ambiguous-event.js';
import { buildOutcome, UNCHARGED } from './build-outcome.js';
import { giveUp, sameForAll } from './recipient-results.js';
import { isTooOld } from './retry-schedule.js';

/** The first pause when a template or signing key cannot be read. It doubles with every attempt. */
const FIRST_PAUSE_SECONDS = 2;
const MAX_PAUSE_SECONDS = 300;

/** Defaults for an attempt that ends the email and contacts no server. */
const FINAL = { ...UNCHARGED, outcome: 'failed', phase: 'render', retryInSeconds: null } as const;

/** No relay could be used. The email waits, and the attempt is not charged. */
export function noRouteOutcome(email: ClaimedEmail, noRoute: NoRoute, pauseSeconds: number): Outcome {
  const { phase, route, conversation, fault } = noRoute;
  return waitOutcome(email, fault, {
    outcome: 'route_fault',
    phase,
    route,
    conversation,
    retryInSeconds: pauseSeconds,
  });
}

/** A template or signing key cannot be read. No server was contacted, and the email waits longer each time. */
export function postponedOutcome(email: ClaimedEmail, why: string): Outcome {
  const retryInSeconds = Math.min(FIRST_PAUSE_SECONDS * 2 ** (email.attempt - 1), MAX_PAUSE_SECONDS);
  return waitOutcome(email, why, {
    outcome: 'deferred',
    phase: 'render',
    route: null,
    conversation: [],
    retryInSeconds,
  });
}

type Wait = Pick<Outcome, 'outcome' | 'phase' | 'route' | 'conversation'> & { retryInSeconds: number };

/** Waiting does not use up the retry schedule, but an email that is too old stops waiting and fails. */
function waitOutcome(email: ClaimedEmail, why: string, wait: Wait): Outcome {
  const results = isTooOld(email, wait.retryInSeconds) ? sameForAll(email, 'deferred', why).map(giveUp) : [];
  return buildOutcome(email, results, { ...UNCHARGED, ...wait });
}

/** The lease ended before the first byte was sent. No server has the message, so the email is due at once. */
export function leaseEndedOutcome(email: ClaimedEmail): Outcome {
  return buildOutcome(email, [], { ...UNCHARGED, outcome: 'deferred', phase: 'envelope', retryInSeconds: 0 });
}

/** The previous worker stopped, the server may have the message, and AMBIGUOUS_POLICY=hold forbids sending it again. */
export function heldOutcome(email: ClaimedEmail): Outcome {
  const why = 'The worker stopped while delivering the email';
  const results = sameForAll(email, 'deferred', why).map(giveUp);
  const event = ambiguousEvent(why, 'held');
  return buildOutcome(email, results, {
    ...UNCHARGED,
    outcome: 'ambiguous',
    phase: 'reply',
    retryInSeconds: null,
    event,
  });
}

/** The email's expires_at has passed. */
export function expiredOutcome(email: ClaimedEmail): Outcome {
  const expired = `Expired at ${email.expiresAt?.toISOString()}`;
  return tooLateOutcome(email, 'expired', { text: `${expired}, before it could be sent`, ifAmbiguous: expired });
}

/** The email has been due for too long. */
export function tooOldOutcome(email: ClaimedEmail): Outcome {
  const hours = `${limits.maxAgeHours.max} hours`;
  return tooLateOutcome(email, 'failed', {
    text: `Gave up: the email could not be sent within ${hours} of its due time`,
    ifAmbiguous: `Gave up ${hours} after the email was due`,
  });
}

/** After an ambiguous attempt, nobody knows whether the email was sent. */
function tooLateOutcome(
  email: ClaimedEmail,
  status: 'expired' | 'failed',
  { text, ifAmbiguous }: { text: string; ifAmbiguous: string },
): Outcome {
  const mayHaveIt = 'A mail server may already have it, because the result of an earlier attempt is unknown';
  const results = sameForAll(email, status, email.ambiguousAttempts > 0 ? `${ifAmbiguous}. ${mayHaveIt}` : text);
  return buildOutcome(email, results, { ...FINAL, event: lostWorkerEvent(email) });
}

/** The email can never be sent. No server was contacted in this attempt. */
export function unsendableOutcome(email: ClaimedEmail, reason: string): Outcome {
  return buildOutcome(email, sameForAll(email, 'failed', reason), FINAL);
}
