import { toBackoff } from '@posthorn/platform/values';

/** After this many failures in a row, a webhook is paused, and then tried with a single request. */
const MAX_FAILURES = 10;
/** The pauses in seconds. */
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

export type WebhookCircuitBreaker = {
  /** Whether there were so many failures that only a single request may be made. */
  isOpen(): boolean;
  allowsMore(): boolean;
  succeeded(): void;
  /**
   * @param pauseSeconds how many seconds the receiver asked us to wait; 0 if it did not
   * @param isGone whether it wants no more events
   */
  failed(failure: { readonly pauseSeconds: number; readonly isGone: boolean }): void;
  /** @param random from 0 to 1 */
  state(random?: number): CircuitBreakerState;
};

/**
 * Counts the failures in a row of one webhook, so that a dead receiver costs only one request per pause. Requests that
 * run at the same time and fail together count up to MAX_FAILURES. After that, each single request that fails counts.
 * @param failures how many there were before
 */
export function createWebhookCircuitBreaker(failures: number): WebhookCircuitBreaker {
  let failuresInRow = failures;
  let hasSucceeded = false;
  let requestedPause = 0;
  let isGone = false;
  const isOpen = () => failuresInRow >= MAX_FAILURES;
  let isProbing = isOpen();
  return {
    isOpen,
    allowsMore: () => !isOpen() && !isGone && requestedPause === 0,
    succeeded() {
      failuresInRow = 0;
      isProbing = false;
      hasSucceeded = true;
    },
    failed(failure) {
      if (isProbing || !isOpen()) failuresInRow += 1;
      isGone ||= failure.isGone;
      requestedPause = Math.max(requestedPause, failure.pauseSeconds);
    },
    state(random) {
      const ownPause = isOpen() ? toBackoff(failuresInRow - MAX_FAILURES + 1, BACKOFF, random) : 0;
      return { failures: failuresInRow, hasSucceeded, pauseSeconds: Math.max(requestedPause, ownPause), isGone };
    },
  };
}
