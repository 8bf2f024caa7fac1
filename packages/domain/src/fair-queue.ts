import { Refusal } from './errors.js';

type Bounds = {
  /** How many pieces of work run at the same time. */
  readonly atOnce: number;
  /** How many may wait in total. */
  readonly maxWaiting: number;
  /** How many may wait for one source. */
  readonly maxWaitingPerSource: number;
  /** What the refusal calls the work: "You reached the limit of 8 logins at the same time." */
  readonly what: string;
};

type Waiting = { readonly run: () => Promise<void>; readonly refuse: (refusal: Refusal) => void };

const RETRY_AFTER_SECONDS = 1;

/**
 * Runs expensive work for many sources, a few pieces at a time. The sources take turns, so a source that asks for a
 * thousand pieces does not delay another source that asks for one.
 */
export class FairQueue {
  readonly #bounds: Bounds;
  /** What waits for each source. The source whose turn is next comes first. */
  readonly #queues = new Map<string, Waiting[]>();
  #waiting = 0;
  #running = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /**
   * Runs `work` when it is the source's turn.
   * @throws Refusal rate_limited when too much work of the source waits; unavailable when too many sources wait; and
   *   any error of `work`
   */
  add<Result>(source: string, work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(source) ?? [];
      if (queue.length >= this.#bounds.maxWaitingPerSource) throw this.#tooMany();
      if (this.#waiting >= this.#bounds.maxWaiting) this.#makeRoom(queue.length);
      // `async`, so that work which throws at once is rejected too.
      queue.push({ run: () => (async () => work())().then(resolve, reject), refuse: reject });
      this.#queues.set(source, queue);
      this.#waiting += 1;
      this.#start();
    });
  }

  #start(): void {
    while (this.#running < this.#bounds.atOnce && this.#waiting > 0) {
      this.#running += 1;
      void this.#takeNext()
        .run()
        .finally(() => {
          this.#running -= 1;
          this.#start();
        });
    }
  }

  /** A source that has had its turn goes behind all others. */
  #takeNext(): Waiting {
    const [first] = this.#queues;
    const [source, queue] = first as [string, Waiting[]];
    this.#queues.delete(source);
    if (queue.length > 1) this.#queues.set(source, queue);
    this.#waiting -= 1;
    return queue.shift() as Waiting;
  }

  /**
   * Refuses the newest work of the source that has the most waiting.
   * @param waiting how much waits for the source that needs room. Afterwards, it must not have the most itself
   */
  #makeRoom(waiting: number): void {
    const queues = [...this.#queues.values()];
    const longest = queues.reduce((long, queue) => (queue.length > long.length ? queue : long));
    if (longest.length <= waiting + 1) throw new Refusal('unavailable');
    longest.pop()?.refuse(this.#tooMany());
    this.#waiting -= 1;
  }

  #tooMany(): Refusal {
    const limit = `${this.#bounds.maxWaitingPerSource} ${this.#bounds.what} at the same time`;
    return new Refusal('rate_limited', { limit, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
}
