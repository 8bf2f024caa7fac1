import { type ClaimedEmail, type Outcome, pendingRecipients, type RecipientResult } from '@posthorn/domain/delivery';
import type { Message } from '@posthorn/message';
import type { Config } from '@posthorn/platform/config';
import { formatCount } from '@posthorn/platform/values';
import type { SendResult } from '../smtp/send-result.js';
import { ambiguousEventOf, lostWorkerEvent, type NextStep } from './ambiguous-event.js';
import { attemptOutcomeOf, buildOutcome } from './build-outcome.js';
import { giveUp, giveUpAfter, isNotAmong, resultOf } from './recipient-results.js';
import { nextAttempt } from './retry-schedule.js';

type Policy = Pick<Config, 'ambiguousPolicy' | 'retryScheduleSeconds'>;

/**
 * Turns the result of an SMTP transaction into results for the email and for each recipient in its envelope.
 * @param local the results of the recipients that were not in the envelope
 */
export function outcomeOfTransaction(
  policy: Policy,
  email: ClaimedEmail,
  sent: SendResult,
  local: readonly RecipientResult[],
): Outcome {
  const recipients = pendingRecipients(email).filter(isNotAmong(local));
  const results = [...recipients.map((recipient) => resultOf(recipient, sent)), ...local];
  const retryInSeconds = nextAttempt(policy.retryScheduleSeconds, email);
  const next = nextStep(policy, sent, retryInSeconds);
  return buildOutcome(email, next === 'retry' ? results : results.map(giveUpAfter(sent)), {
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

/** The outcome of an attempt whose message stays here, because it is test mail or for the simulator. */
export function outcomeOfLocalMail(
  policy: Policy,
  email: ClaimedEmail,
  message: Message,
  local: readonly RecipientResult[],
): Outcome {
  const retryInSeconds = nextAttempt(policy.retryScheduleSeconds, email);
  return buildOutcome(email, retryInSeconds === null ? local.map(giveUp) : local, {
    retryInSeconds,
    charged: true,
    outcome: attemptOutcomeOf(local),
    phase: 'reply',
    route: email.isTest ? 'test mode' : 'simulator',
    conversation: [`-- The message is ${formatCount(message.length)} bytes long. It was not sent to a server`],
    event: lostWorkerEvent(email),
  });
}
