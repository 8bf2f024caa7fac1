/** After this many failures in a row, a webhook is paused, and then tried with a single request. */
const MAX_FAILURES = 10;
const FIRST_PAUSE_SECONDS = 5;
const MAX_PAUSE_SECONDS = 600;
/** So that webhooks that failed together are not all tried again at the same moment. */
const JITTER = 0.1;

/** Counts the failures in a row of one webhook, so that a dead receiver costs only one request per pause. */
export class WebhookBreaker {
  #requestedPause = 0;

  /** @param failures how many there were before */
  constructor(private failures: number) {}

  /** Whether there were so many failures that only a single request may be made. */
  isOpen(): boolean {
    return this.failures >= MAX_FAILURES;
  }

  /** Whether more requests may be made now. */
  allowsMore(): boolean {
    return !this.isOpen() && this.#requestedPause === 0;
  }

  succeeded(): void {
    this.failures = 0;
  }

  /** @param pauseSeconds how long the receiver wants to be left alone; 0 if it did not say */
  failed(pauseSeconds: number): void {
    this.failures += 1;
    this.#requestedPause = Math.max(this.#requestedPause, pauseSeconds);
  }

  /** The failures in a row, and for how many seconds the webhook must be left alone. */
  state(random = Math.random()): { readonly failures: number; readonly pauseSeconds: number } {
    const { failures } = this;
    if (!this.isOpen()) return { failures, pauseSeconds: this.#requestedPause };
    const pause = Math.min(FIRST_PAUSE_SECONDS * 2 ** (failures - MAX_FAILURES), MAX_PAUSE_SECONDS);
    return { failures, pauseSeconds: Math.max(this.#requestedPause, pause * (1 + JITTER * (2 * random - 1))) };
  }
}
