import { isLockTimeout, isUnavailable } from '@posthorn/platform/postgres';

type Grouping<Input> = {
  readonly max: number;
  /**
   * The number of inputs that this one counts as; 1 by default. If it counts as more than `max`, it is flushed alone.
   */
  readonly countIn?: (input: Input) => number;
  /**
   * The weight of an input. The inputs of a flush weigh at most `maxWeight` in total. An input that is heavier is
   * flushed alone.
   */
  readonly weigh?: (input: Input) => number;
  readonly maxWeight?: number;
  readonly inFlight?: number;
  /**
   * What the waiting inputs must count as before a flush starts alongside a running one. A higher number makes fewer,
   * larger groups.
   */
  readonly minBesideRunning?: number;
  /** Whether all waiting calls would fail with the same error. If so, they are rejected with it at once. */
  readonly failsAllWaiting?: (error: unknown) => boolean;
};

/**
 * Collects the calls that arrive while a flush is running and passes them to the next flush together. Under load, the
 * work is shared, yet a lone call still runs at once. In measurements, waiting a fixed 2 ms instead was a quarter
 * slower.
 *
 * @param flush receives the inputs in the order of their calls and returns one result for each, in the same order. A
 *   Rejection rejects only its own call; a thrown error rejects them all. If a call takes longer than the flush, its
 *   result may be a promise
 */
export function groupCalls<Input, Output>(
  flush: (inputs: Input[]) => Promise<ReadonlyArray<Output | Promise<Output> | Rejection>>,
  grouping: Grouping<Input>,
): (input: Input) => Promise<Output> {
  const { inFlight = 1, minBesideRunning = 1, failsAllWaiting = () => false } = grouping;
  const waiting = openWaitingCalls<Input, Output>(grouping);
  let running = 0;

  const minToStart = () => (running === 0 ? 1 : minBesideRunning);

  function start(): void {
    while (running < inFlight && waiting.count() >= minToStart()) {
      const calls = waiting.takeNext();
      running += 1;
      void flushed(calls).then((settleAll) => {
        running -= 1;
        start();
        // Settling takes time, so the next flush is started first.
        setImmediate(settleAll);
      });
    }
  }

  /** @returns a function that settles the calls */
  async function flushed(calls: Array<PendingCall<Input, Output>>): Promise<() => void> {
    const results = await flush(calls.map(({ input }) => input)).catch((error) => calls.map(() => toRejection(error)));
    // If a flush fails, even halfway, it rejects its last call with the error that ended the flush.
    const last = results.at(-1);
    const others = isRejection(last) && failsAllWaiting(last.reason) ? waiting.takeAll() : [];
    return () => {
      calls.forEach((call, index) => {
        settle(call, results[index] as Output | Promise<Output> | Rejection);
      });
      for (const call of others) settle(call, last as Rejection);
    };
  }

  return (input) =>
    new Promise((resolve, reject) => {
      const wasEnough = waiting.count() >= minToStart();
      waiting.add({ input, resolve, reject });
      // With setImmediate, calls made in the same turn of the event loop share even the first flush.
      if (!wasEnough && waiting.count() >= minToStart() && running < inFlight) setImmediate(start);
    });
}

function settle<Output>(call: PendingCall<unknown, Output>, result: Output | Promise<Output> | Rejection): void {
  if (isRejection(result)) call.reject(result.reason);
  else call.resolve(result);
}

/** The calls that no flush has taken yet, in their order. */
function openWaitingCalls<Input, Output>(grouping: Grouping<Input>) {
  const { countIn = () => 1 } = grouping;
  const calls: Array<PendingCall<Input, Output>> = [];
  let count = 0;

  function take(size: number): Array<PendingCall<Input, Output>> {
    const taken = calls.splice(0, size);
    for (const { input } of taken) count -= countIn(input);
    return taken;
  }

  return {
    count: () => count,
    add(call: PendingCall<Input, Output>): void {
      calls.push(call);
      count += countIn(call.input);
    },
    takeNext: () => take(sizeOfNext(calls, grouping)),
    takeAll: () => take(calls.length),
  };
}

/** How many waiting calls the next flush takes; always at least one. */
function sizeOfNext<Input>(
  waiting: ReadonlyArray<{ input: Input }>,
  { max, countIn = () => 1, weigh = () => 0, maxWeight = 0 }: Grouping<Input>,
): number {
  let count = 0;
  let weight = 0;
  const firstTooMany = waiting.findIndex(({ input }, index) => {
    count += countIn(input);
    weight += weigh(input);
    return index > 0 && (count > max || weight > maxWeight);
  });
  return firstTooMany === -1 ? waiting.length : firstTooMany;
}

const IS_REJECTION = Symbol('rejection');

/** The result of a call that failed while others in its flush may have succeeded. */
export type Rejection = { readonly [IS_REJECTION]: true; readonly reason: unknown };

export function toRejection(reason: unknown): Rejection {
  return { [IS_REJECTION]: true, reason };
}

export function isRejection(result: unknown): result is Rejection {
  return typeof result === 'object' && result !== null && IS_REJECTION in result;
}

type PendingCall<Input, Output> = {
  input: Input;
  resolve(output: Output | Promise<Output>): void;
  reject(error: unknown): void;
};

type Isolation<Item> = {
  /** Called with an item that has failed on its own, before other items are acted on. */
  readonly onRefused?: (item: Item, error: unknown) => Promise<void>;
  /** Whether one item may also be the cause of a lock timeout. By default, that ends the work like an outage. */
  readonly isolatesLocks?: boolean;
};

/**
 * Acts on all items together. If that fails, keeps halving the group until the items that cause the failure are alone,
 * so that they hold up no others. An outage is no item's fault, so it ends the work. A statement that includes a locked
 * row waits for the whole timeout, so after a lock timeout, each item of the group is tried alone.
 * @param act returns one result for each item, in the same order. It must do nothing if it throws
 * @returns one result for each item, in the same order: a Rejection if the item failed on its own, or if an outage came
 *   before it
 * @throws the error of an outage that came before any result
 */
export async function isolateFailures<Item, Result>(
  items: readonly Item[],
  act: (items: Item[]) => Promise<ReadonlyArray<Result | Rejection>>,
  { onRefused, isolatesLocks = false }: Isolation<Item> = {},
): Promise<Array<Result | Rejection>> {
  const results: Array<Result | Rejection> = [];
  const groups = items.length === 0 ? [] : [[...items]];
  for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
    try {
      results.push(...(await act(group)));
    } catch (error) {
      const cause = findCause(error, isolatesLocks);
      if (cause === 'outage') return withoutRest(items, results, error);
      if (group.length > 1) groups.push(...split(group, cause).reverse());
      else {
        await onRefused?.(group[0] as Item, error);
        results.push(toRejection(error));
      }
    }
  }
  return results;
}

function withoutRest<Item, Result>(items: readonly Item[], results: ReadonlyArray<Result | Rejection>, error: unknown) {
  if (results.length === 0) throw error;
  return [...results, ...items.slice(results.length).map(() => toRejection(error))];
}

type Cause = 'outage' | 'locked_item' | 'refused_item';

function findCause(error: unknown, isolatesLocks: boolean): Cause {
  if (isolatesLocks && isLockTimeout(error)) return 'locked_item';
  return isUnavailable(error) ? 'outage' : 'refused_item';
}

function split<Item>(group: readonly Item[], cause: Cause): Item[][] {
  if (cause === 'locked_item') return group.map((item) => [item]);
  const middle = Math.ceil(group.length / 2);
  return [group.slice(0, middle), group.slice(middle)];
}

/** @throws the error of the outage because of which `isolateFailures` did not act on every item */
export function assertNoOutage(results: ReadonlyArray<unknown>): void {
  const last = results.at(-1);
  if (isRejection(last) && isUnavailable(last.reason)) throw last.reason;
}

/**
 * Lets callers share one `read` while it runs and for `ms` milliseconds after it ends. Errors are shared too, so that a
 * server that is down is not asked more often than one that works.
 */
export function createCachedRead<Result>(read: () => Promise<Result>, ms: number): () => Promise<Result> {
  let latest: Promise<Result> | null = null;
  let freshUntil = 0;
  return () => {
    if (latest !== null && performance.now() < freshUntil) return latest;
    freshUntil = Number.POSITIVE_INFINITY;
    latest = read().finally(() => {
      freshUntil = performance.now() + ms;
    });
    return latest;
  };
}
