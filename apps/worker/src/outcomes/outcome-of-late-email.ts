import type { ClaimedEmail, Outcome } from '@posthorn/domain/delivery';
import { limits } from '@posthorn/domain/limits';
import { expiredOutcome, tooOldOutcome, unsendableOutcome } from './outcome-without-transaction.js';
import { isExpired, isTooOld } from './retry-schedule.js';

const TOO_MANY_AMBIGUOUS = 'Gave up: too many attempts ended without a known result';
const TOO_MANY_UNSENT = 'Gave up: too many workers stopped before they had sent the whole message';

/** The outcome of an email that may no longer be sent; null for any other. */
export function outcomeIfLate(email: ClaimedEmail): Outcome | null {
  if (email.ambiguousAttempts > limits.ambiguousAttempts.max) return unsendableOutcome(email, TOO_MANY_AMBIGUOUS);
  if (email.unsentAttempts > limits.unsentAttempts.max) return unsendableOutcome(email, TOO_MANY_UNSENT);
  return isExpired(email) || isTooOld(email) ? outcomeOfLateEmail(email) : null;
}

/**
 * The outcome of an email that, according to Postgres' clock, may no longer be sent. That clock may be ahead of ours.
 */
export function outcomeOfLateEmail(email: ClaimedEmail): Outcome {
  return email.expiresAt === null ? tooOldOutcome(email) : expiredOutcome(email);
}
