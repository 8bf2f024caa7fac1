import { type ClaimedEmail, type Config, type Outcome, pendingRecipients } from '@posthorn/domain';
import { nextAttempt } from '../retry-schedule.js';
import type { SendResult } from '../smtp/send-result.js';
import { ambiguousEventOf, lostWorkerEvent, type NextStep } from './ambiguous-event.js';
import { attemptOutcomeOf, buildOutcome } from './build-outcome.js';
import { giveUp, resultOf } from './recipient-results.js';

type Policy = Pick<Config, 'ambiguousPolicy' | 'retryScheduleSeconds'>;

/** Turns the result of an SMTP transaction into results for the email and for each recipient in its envelope. */
export function outcomeOfTransaction(policy: Policy, email: ClaimedEmail, sent: SendResult): Outcome {
  const results = pendingRecipients(email).map((recipient) => resultOf(recipient, sent));
  const retryInSeconds = nextAttempt(policy.retryScheduleSeconds, email);
  const next = nextStep(policy, sent, retryInSeconds);
  return buildOutcome(email, next === 'retry' ? results : results.map(giveUp), {
    retryInSeconds,
    charged: true,
    outcome: sent.end === 'ambiguous' ? 'ambiguous' : attemptOutcomeOf(results),
    phase: sent.phase,
    route: sent.route,
    conversation: sent.conversation,
    event: ambiguousEventOf(sent, next) ?? lostWorkerEvent(email),
  });
}

function nextStep({ ambiguousPolicy }: Policy, { end }: SendResult, retryInSeconds: number | null): NextStep {
  if (end === 'ambiguous' && ambiguousPolicy === 'hold') return 'held';
  return retryInSeconds === null ? 'no_retry_left' : 'retry';
}
