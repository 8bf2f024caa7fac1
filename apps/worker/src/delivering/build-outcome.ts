import type { AttemptOutcome, RecipientStatus } from '@posthorn/contract';
import { type ClaimedEmail, type Outcome, pendingRecipients, type RecipientResult } from '@posthorn/domain/delivery';
import { assertMove, deriveEmailStatus, type LoggedEmail } from '@posthorn/domain/emails';
import type { Message } from '@posthorn/message';
import type { Config } from '@posthorn/platform/config';
import { formatCount } from '@posthorn/platform/values';
import type { SendResult } from '../smtp/failover.js';
import { giveUp, giveUpAfter, isNotAmong, readRecipientResult } from './recipient-results.js';
import { findNextAttempt, shortenToExpiry } from './retry-schedule.js';

type Policy = Pick<Config, 'ambiguousPolicy' | 'retryScheduleSeconds'>;

/**
 * Turns the result of an SMTP transaction into results for the email and for each recipient in its envelope.
 * @param local the results of the recipients that were not in the envelope
 */
export function buildTransactionOutcome(
  policy: Policy,
  email: ClaimedEmail,
  sent: SendResult,
  local: readonly RecipientResult[],
): Outcome {
  const recipients = pendingRecipients(email).filter(isNotAmong(local));
  const results = [...recipients.map((recipient) => readRecipientResult(recipient, sent)), ...local];
  const retryInSeconds = findNextAttempt(policy.retryScheduleSeconds, email);
  const next = decideNextStep(policy, sent, retryInSeconds);
  return buildOutcome(email, next === 'retry' ? results : results.map(giveUpAfter(sent)), {
    retryInSeconds,
    charged: true,
    outcome: sent.end === 'ambiguous' ? 'ambiguous' : deriveAttemptOutcome(results),
    phase: sent.phase,
    route: sent.route,
    conversation: sent.conversation,
    event: findAmbiguousEvent(sent, next) ?? findLostWorkerEvent(email),
  });
}

function decideNextStep({ ambiguousPolicy }: Policy, { end }: SendResult, retryInSeconds: number | null): NextStep {
  if (end === 'ambiguous' && ambiguousPolicy === 'hold') return 'held';
  return retryInSeconds === null ? 'no_retry_left' : 'retry';
}

/** The outcome of an attempt whose message stays here, because it is test mail or for the simulator. */
export function buildLocalOutcome(
  policy: Policy,
  email: ClaimedEmail,
  message: Message,
  local: readonly RecipientResult[],
): Outcome {
  const retryInSeconds = findNextAttempt(policy.retryScheduleSeconds, email);
  return buildOutcome(email, retryInSeconds === null ? local.map(giveUp) : local, {
    retryInSeconds,
    charged: true,
    outcome: deriveAttemptOutcome(local),
    phase: 'reply',
    route: email.isTest ? 'test mode' : 'simulator',
    conversation: [`-- The message is ${formatCount(message.length)} bytes long. It was not sent to a server`],
    event: findLostWorkerEvent(email),
  });
}

/** Defaults for an attempt that does not count against the retry schedule. */
export const UNCHARGED = { charged: false, route: null, conversation: [], event: null } as const;

/** Derives the email's status from all recipients, including those with a final result from an earlier attempt. */
export function buildOutcome(
  email: ClaimedEmail,
  recipientResults: readonly RecipientResult[],
  rest: Omit<Outcome, keyof LoggedEmail | 'attempt' | 'status' | 'recipientResults'>,
): Outcome {
  const changed = new Map(recipientResults.map(({ position, status }) => [position, status]));
  const derived = deriveEmailStatus(email.recipients.map(({ position, status }) => changed.get(position) ?? status));
  const status = derived === 'queued' ? 'deferred' : derived;
  assertMove('sending', status);
  const { id, attempt, requestId = null, traceparent = null } = email;
  const isDeferred = status === 'deferred';
  return {
    id,
    attempt,
    requestId,
    traceparent,
    status,
    retryInSeconds: isDeferred ? shortenToExpiry(email, rest.retryInSeconds) : null,
    charged: rest.charged && isDeferred,
    recipientResults,
    outcome: rest.outcome,
    phase: rest.phase,
    route: rest.route,
    conversation: rest.conversation,
    event: rest.event,
  };
}

const OUTCOME_OF: { readonly [Status in RecipientStatus]?: AttemptOutcome } = {
  sent: 'sent',
  delivered: 'sent',
  complained: 'sent',
  bounced: 'bounced',
  suppressed: 'failed',
};

/** Derives the outcome of an attempt from the results of its recipients. */
export function deriveAttemptOutcome(results: readonly RecipientResult[]): AttemptOutcome {
  const outcomes = new Set(results.map(({ status }) => OUTCOME_OF[status] ?? 'deferred'));
  const [only = 'deferred', other] = outcomes;
  return other === undefined ? only : 'partial';
}

/** The email is sent again only with `retry`. `held` is the result of AMBIGUOUS_POLICY=hold. */
type NextStep = 'retry' | 'held' | 'no_retry_left';

/** The event for a transaction that lost its connection after the final dot; null for any other transaction. */
function findAmbiguousEvent({ end, fault }: SendResult, next: NextStep): Outcome['event'] {
  return end === 'ambiguous' ? buildAmbiguousEvent(fault ?? 'The connection was lost', next) : null;
}

export function buildAmbiguousEvent(why: string, next: NextStep): Outcome['event'] {
  return { type: 'ambiguous', detail: `${why}, so the server may have the message. ${describe(next)}` };
}

/**
 * After the lease of an attempt expired before its outcome was recorded, the next attempt records that an earlier copy
 * may exist.
 */
export function findLostWorkerEvent({ reclaimed, attempt, ambiguousAttempts }: ClaimedEmail): Outcome['event'] {
  if (!reclaimed || ambiguousAttempts === 0) return null;
  const why =
    reclaimed === 'ambiguous'
      ? `The worker stopped, or lost Postgres, during attempt ${attempt - 1}`
      : 'The result of an earlier attempt is unknown';
  return { type: 'ambiguous', detail: `${why}, so the server may have received an earlier copy.` };
}

function describe(next: NextStep): string {
  switch (next) {
    case 'held':
      return 'It will not be sent again, because AMBIGUOUS_POLICY is hold.';
    case 'no_retry_left':
      return 'It will not be sent again, because this was the last attempt.';
    case 'retry':
      return 'It will be sent again. A second copy would have the same Message-ID.';
    default:
      return next satisfies never;
  }
}
