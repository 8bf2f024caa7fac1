import type { ClaimedEmail, Outcome } from '@posthorn/domain/delivery';
import { emailLogFields } from '@posthorn/domain/emails';
import type { WorkerContext } from '../context.js';

/** The value of the metric label `relay` for an attempt that used no relay or whose worker vanished. */
const NO_RELAY = 'none';

type Reporting = Pick<WorkerContext, 'log' | 'metrics'>;

/** Counts and logs an attempt whose outcome is known. @param ms from the claim to the outcome */
export function reportAttempt(
  { log, metrics }: Reporting,
  email: ClaimedEmail,
  { outcome, route, status, recipientResults }: Outcome,
  ms: number,
): void {
  metrics.attempts.inc({ relay: route ?? NO_RELAY, outcome });
  if (!email.isTest) for (const result of recipientResults) metrics.recipients.inc({ result: result.status });
  // The clocks of two machines may differ.
  if (status === 'sent' && !email.isTest)
    metrics.acceptToSent.observe(Math.max(0, Date.now() - email.firstDueAt.getTime()) / 1_000);
  log.info({ ...emailLogFields(email), relay: route, outcome, ms: Math.round(ms) }, 'attempt_ended');
}

/** Counts and logs the attempt of a worker that vanished. */
export function reportLostAttempt({ log, metrics }: Reporting, email: ClaimedEmail): void {
  const outcome = email.reclaimed === 'unsent' ? 'deferred' : 'ambiguous';
  metrics.attempts.inc({ relay: NO_RELAY, outcome });
  log.info({ ...emailLogFields(email), relay: null, outcome, ms: null }, 'attempt_ended');
}
