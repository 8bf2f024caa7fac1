import type { ClaimedEmail, Outcome } from '@posthorn/domain/delivery';
import type { SendResult } from '../smtp/send-result.js';

/** The email is sent again only with `retry`. `held` is the result of AMBIGUOUS_POLICY=hold. */
export type NextStep = 'retry' | 'held' | 'no_retry_left';

/** The event for a transaction that lost its connection after the final dot; null for any other transaction. */
export function ambiguousEventOf({ end, fault }: SendResult, next: NextStep): Outcome['event'] {
  return end === 'ambiguous' ? ambiguousEvent(fault ?? 'The connection was lost', next) : null;
}

export function ambiguousEvent(why: string, next: NextStep): Outcome['event'] {
  return { type: 'ambiguous', detail: `${why}, so the server may have the message. ${describe(next)}` };
}

/** After the lease of an attempt expired before its outcome was recorded, the next attempt records that an earlier copy may exist. */
export function lostWorkerEvent({ reclaimed, attempt, ambiguousAttempts }: ClaimedEmail): Outcome['event'] {
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
