import { addJitter } from '@posthorn/platform/values';

/** The pauses after failed attempts, in seconds. When all of them are used up, the delivery has failed. */
export const webhookRetryPauses: readonly number[] = [5, 5 * 60, 30 * 60, 2 * 3_600, 5 * 3_600, 10 * 3_600, 10 * 3_600];

const JITTER = 0.1;

/**
 * @param retries how many pauses are used up
 * @param retryAfterSeconds what the receiver asked for; `limits.webhookRetryAfterSeconds` has been applied to it
 * @param random from 0 to 1
 * @returns the seconds until the next attempt; null if there is none
 */
export function findWebhookBackoffSeconds(
  retries: number,
  retryAfterSeconds: number | null,
  random?: number,
): number | null {
  const pause = webhookRetryPauses[retries];
  if (pause === undefined) return null;
  return Math.max(addJitter(pause, JITTER, random), retryAfterSeconds ?? 0);
}
