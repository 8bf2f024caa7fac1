/** After this many failures in a row, a webhook is paused, and then tried with a single request. */
const MAX_FAILURES = 10;
const FIRST_PAUSE_SECONDS = 5;
const MAX_PAUSE_SECONDS = 600;
/** So that webhooks that failed together are not all tried again at the same moment. */
const JITTER = 0.1;

/**
 * @property failures in a row, up to now
 * @property hasSucceeded whether any request succeeded
 * @property pauseSeconds how long to wait now
 * @property isGone whether the receiver wants no more events
 */
export type BreakerState = {
  readonly failures: number;
  readonly hasSucceeded: boolean;
  readonly pauseSeconds: number;
  readonly isGone: boolean;
};

/**
 * Counts the failures in a row of one webhook, so that a dead receiver costs only one request per pause. Requests that
 * run at the same time and fail together count up to MAX_FAILURES. After that, each single request that fails counts.
 */
export class WebhookBreaker {
  #isProbing: boolean;
  #hasSucceeded = false;
  #requestedPause = 0;
  #isGone = false;

  /** @param failures how many there were before */
  constructor(private failures: number) {
    this.#isProbing = this.isOpen();
  }

  /** Whether there were so many failures that only a single request may be made. */
  isOpen(): boolean {
    return this.failures >= MAX_FAILURES;
  }

  allowsMore(): boolean {
    return !this.isOpen() && !this.#isGone && this.#requestedPause === 0;
  }

  succeeded(): void {
    this.failures = 0;
    this.#isProbing = false;
    this.#hasSucceeded = true;
  }

  /**
   * @param pauseSeconds how many seconds the receiver asked us to wait; 0 if it did not
   * @param isGone whether it wants no more events
   */
  failed({ pauseSeconds, isGone }: { pauseSeconds: number; isGone: boolean }): void {
    if (this.#isProbing || !this.isOpen()) this.failures += 1;
    this.#isGone ||= isGone;
    this.#requestedPause = Math.max(this.#requestedPause, pauseSeconds);
  }

  state(random = Math.random()): BreakerState {
    const { failures } = this;
    const pause = FIRST_PAUSE_SECONDS * 2 ** (failures - MAX_FAILURES) * (1 + JITTER * (2 * random - 1));
    const ownPause = this.isOpen() ? Math.min(pause, MAX_PAUSE_SECONDS) : 0;
    const pauseSeconds = Math.max(this.#requestedPause, ownPause);
    return { failures, hasSucceeded: this.#hasSucceeded, pauseSeconds, isGone: this.#isGone };
  }
}
