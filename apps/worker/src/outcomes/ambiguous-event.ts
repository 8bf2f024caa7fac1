import type { ClaimedEmail, Outcome } from '@posthorn/domain';
import type { Sent } from '../smtp/relays.js';

/** `held` by AMBIGUOUS_POLICY, or out of retries, the email is not sent again. */
export type NextStep = 'retry' | 'held' | 'no_retry_left';

/** Of a transaction whose connection broke after the final dot; null for any other end. */
export function ambiguousEventOf({ end, fault }: Sent, next: NextStep): Outcome['event'] {
  return end === 'ambiguous' ? ambiguousEvent(fault ?? 'The connection broke', next) : null;
}

export function ambiguousEvent(why: string, next: NextStep): Outcome['event'] {
  return { type: 'ambiguous', detail: `${why}, so the server may have the message. ${describe(next)}` };
}

/** An attempt after a lost worker says that an earlier copy may exist; both have the same Message-ID. */
export function lostWorkerEvent({ reclaimed, attempt }: ClaimedEmail): Outcome['event'] {
  if (!reclaimed) return null;
  return {
    type: 'ambiguous',
    detail: `The worker of attempt ${attempt - 1} stopped. It may have sent a copy before that.`,
  };
}

function describe(next: NextStep): string {
  switch (next) {
    case 'held':
      return 'It is not sent again, as AMBIGUOUS_POLICY says.';
    case 'no_retry_left':
      return 'It is not sent again, because this was the last attempt.';
    case 'retry':
      return 'It will be sent again; a second copy would have the same Message-ID.';
    default:
      return next satisfies never;
  }
}
