import type { LeasedWebhook } from '@posthorn/domain/webhooks';
import { computePause } from '@posthorn/platform/values';

/** After this many failures in a row, a webhook is paused, and then tried with a single request. */
const MAX_FAILURES = 10;
const BACKOFF = { first: 5, max: 600, jitter: 0.1 };

/**
 * @property failures in a row, up to now
 * @property hasSucceeded whether any request succeeded
 * @property pauseSeconds how long to wait now
 * @property isGone whether the receiver wants no more events
 */
export type CircuitBreakerState = {
  readonly failures: number;
  readonly hasSucceeded: boolean;
  readonly pauseSeconds: number;
  readonly isGone: boolean;
};

/**
 * Counts the failures in a row of one webhook, so that a dead receiver costs only one request per pause. Requests that
 * run at the same time and fail together count up to MAX_FAILURES. After that, each single request that fails counts.
 * @param before how many there were, and whether the receiver has ever accepted a request
 */
export function createWebhookCircuitBreaker({
  failures,
  isConfirmed,
}: Pick<LeasedWebhook, 'failures' | 'isConfirmed'>) {
  let failuresInRow = failures;
  let hasSucceeded = false;
  let requestedPause = 0;
  let isGone = false;
  const isOpen = () => failuresInRow >= MAX_FAILURES;
  let isProbing = isOpen();
  const needsProof = () => isOpen() || !(isConfirmed || hasSucceeded);
  return {
    /** Whether one request must succeed before there may be others. */
    needsProof,
    allowsMore: () => !needsProof() && !isGone && requestedPause === 0,
    succeeded(): void {
      failuresInRow = 0;
      isProbing = false;
      hasSucceeded = true;
    },
    /** @param failure what the receiver asked for: a pause, 0 for none, or no more events */
    failed(failure: Pick<CircuitBreakerState, 'pauseSeconds' | 'isGone'>): void {
      if (isProbing || !isOpen()) failuresInRow += 1;
      isGone ||= failure.isGone;
      requestedPause = Math.max(requestedPause, failure.pauseSeconds);
    },
    /** @param random from 0 to 1 */
    state(random?: number): CircuitBreakerState {
      const ownPause = isOpen() ? computePause(failuresInRow - MAX_FAILURES + 1, BACKOFF, random) : 0;
      return { failures: failuresInRow, hasSucceeded, pauseSeconds: Math.max(requestedPause, ownPause), isGone };
    },
  };
}
