import type { WebhookDeliveryStatus } from '@posthorn/contract';
import { type DeliveryResult, type DueDelivery, webhookRetryInSeconds } from '@posthorn/domain/webhooks';
import type { PostResult } from '@posthorn/webhooks';

/** With this status, a receiver says that it wants no more events. */
const GONE = 410;
/** With these, Retry-After is about the receiver and not about one event. */
const OVERLOADED: readonly (number | null)[] = [429, 503];

export function isGone({ status }: PostResult): boolean {
  return status === GONE;
}

/** @returns how many seconds the receiver asked us to wait; 0 if it did not */
export function pauseOf({ status, retryAfterSeconds }: PostResult): number {
  return OVERLOADED.includes(status) ? (retryAfterSeconds ?? 0) : 0;
}

/**
 * An event that was answered with 410 is not lost: it waits until the webhook is enabled again, or has a new URL.
 * @param at when the request was made
 */
export function resultOf(delivery: DueDelivery, at: Date, posted: PostResult): DeliveryResult {
  const { eventId, streamId, sequence, attempt, retries } = delivery;
  const { status, body, bodyTruncated: truncated, error, ms, retryAfterSeconds } = posted;
  const retryInSeconds = error === null ? null : webhookRetryInSeconds(retries, retryAfterSeconds);
  return {
    eventId,
    streamId,
    sequence,
    attempt,
    status: statusAfter(error, retryInSeconds),
    retryInSeconds,
    made: { at: at.toISOString(), ms, status, body, truncated, error },
  };
}

function statusAfter(error: string | null, retryInSeconds: number | null): WebhookDeliveryStatus {
  if (error === null) return 'delivered';
  return retryInSeconds === null ? 'failed' : 'pending';
}

/** For an event that was deleted, for example because its email was. */
export function resultWithoutEvent({ eventId, streamId, sequence, attempt }: DueDelivery): DeliveryResult {
  return { eventId, streamId, sequence, attempt, status: 'failed', retryInSeconds: null, made: null };
}
