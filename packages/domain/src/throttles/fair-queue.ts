import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '@posthorn/domain/errors';

type Bounds = {
  /** How many pieces of work run at the same time. */
  readonly atOnce: number;
  /** How many may wait in total. */
  readonly maxWaiting: number;
  /** How many from one source may wait. */
  readonly maxWaitingPerSource: number;
  /** The name for the work in the refusal, as in "You reached the limit of 8 simultaneous logins." */
  readonly what: string;
};

type Waiting = { readonly run: () => Promise<void>; readonly refuse: (refusal: Refusal) => void };

const RETRY_AFTER_SECONDS = 1;

export type FairQueue = {
  /**
   * Runs `work` when it is the source's turn.
   * @throws Refusal rate_limited if too much work from the source is waiting; unavailable if too many sources are
   *   waiting; and any error that `work` throws
   */
  add<Result>(source: string, work: () => Promise<Result>): Promise<Result>;
};

/**
 * Runs expensive work for many sources, a few pieces at a time. The sources take turns, so a source that asks for a
 * thousand pieces does not delay another source that asks for one.
 */
export function openFairQueue(bounds: Bounds): FairQueue {
  const { atOnce, maxWaiting, maxWaitingPerSource } = bounds;
  /** The waiting work of each source. The source whose turn is next comes first. */
  const queues = new Map<string, Waiting[]>();
  let waiting = 0;
  let running = 0;

  function startNext(): void {
    while (running < atOnce && waiting > 0) {
      running += 1;
      waiting -= 1;
      void runAndRest(takeNext(queues).run);
    }
  }

  /** While work waits, each slot rests for as long as its last piece took, to leave half of the time for other code. */
  async function runAndRest(run: () => Promise<void>): Promise<void> {
    const startedAt = performance.now();
    await run();
    if (waiting > 0) await sleep(performance.now() - startedAt);
    running -= 1;
    startNext();
  }

  /**
   * Refuses the newest work of the source that has the most waiting.
   * @param own how many pieces the source that needs room already has waiting. Even with one more, its queue must not
   *   be the longest
   */
  function makeRoom(own: number): void {
    const longest = [...queues.values()].reduce((long, queue) => (queue.length > long.length ? queue : long));
    if (longest.length <= own + 1) throw new Refusal('unavailable');
    longest.pop()?.refuse(tooMany(bounds));
    waiting -= 1;
  }

  return {
    add(source, work) {
      return new Promise((resolve, reject) => {
        const queue = queues.get(source) ?? [];
        if (queue.length >= maxWaitingPerSource) throw tooMany(bounds);
        if (waiting >= maxWaiting) makeRoom(queue.length);
        // The `async` wrapper turns an error that `work` throws immediately into a rejection.
        queue.push({ run: () => (async () => work())().then(resolve, reject), refuse: reject });
        queues.set(source, queue);
        waiting += 1;
        startNext();
      });
    },
  };
}

/** Takes the next piece of work. A source that has had its turn moves behind all others. */
function takeNext(queues: Map<string, Waiting[]>): Waiting {
  const [first] = queues;
  const [source, queue] = first as [string, Waiting[]];
  queues.delete(source);
  if (queue.length > 1) queues.set(source, queue);
  return queue.shift() as Waiting;
}

function tooMany({ maxWaitingPerSource, what }: Bounds): Refusal {
  const limit = `${maxWaitingPerSource} simultaneous ${what}`;
  return new Refusal('rate_limited', { limit, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
