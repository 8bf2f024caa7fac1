import type { AttemptOutcome, RecipientStatus } from '@posthorn/contract';
import type { ClaimedEmail, Outcome, RecipientResult } from '@posthorn/domain/delivery';
import { assertMove, deriveEmailStatus, type LoggedEmail } from '@posthorn/domain/emails';

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
    retryInSeconds: isDeferred ? beforeExpiry(email, rest.retryInSeconds) : null,
    charged: rest.charged && isDeferred,
    recipientResults,
    outcome: rest.outcome,
    phase: rest.phase,
    route: rest.route,
    conversation: rest.conversation,
    event: rest.event,
  };
}

/** If an email expires before its next attempt, it is claimed when it expires, so that it ends on time. */
function beforeExpiry({ expiresAt }: ClaimedEmail, retryInSeconds: number | null): number | null {
  if (expiresAt === null || retryInSeconds === null) return retryInSeconds;
  return Math.min(retryInSeconds, Math.max(0, (expiresAt.getTime() - Date.now()) / 1_000));
}

const OUTCOME_OF: { readonly [Status in RecipientStatus]?: AttemptOutcome } = {
  sent: 'sent',
  delivered: 'sent',
  complained: 'sent',
  bounced: 'bounced',
  suppressed: 'failed',
};

/** Derives the outcome of an attempt from the results of its recipients. */
export function attemptOutcomeOf(results: readonly RecipientResult[]): AttemptOutcome {
  const outcomes = new Set(results.map(({ status }) => OUTCOME_OF[status] ?? 'deferred'));
  const [only = 'deferred', other] = outcomes;
  return other === undefined ? only : 'partial';
}
