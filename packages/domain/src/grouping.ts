/**
 * Collects the calls that arrive while a flush is under way and hands them to the next one
 * together: under load work is shared, and a lone call is still done at once. A timer of 2 ms
 * instead was measured a quarter slower.
 *
 * @param flush gets 1 to `max` inputs, answers one result each in the same order; a Rejection
 *   rejects that call alone, a thrown error rejects them all
 * @param max most inputs of one flush
 * @param weigh what an input weighs; together those of one flush weigh no more than `heaviest`, unless one does alone
 * @param inFlight flushes that may run side by side
 * @param worthAnother calls that must wait before a flush starts beside another; more make fewer, larger groups
 * @param isSharedFate whether what a flush threw would also meet the calls that wait: they are rejected
 *   with it at once
 */
export function grouped<Input, Output>(
  flush: (inputs: Input[]) => Promise<ReadonlyArray<Output | Rejection>>,
  {
    max,
    weigh = () => 0,
    heaviest = 0,
    inFlight = 1,
    worthAnother = 1,
    isSharedFate = () => false,
  }: {
    max: number;
    weigh?: (input: Input) => number;
    heaviest?: number;
    inFlight?: number;
    worthAnother?: number;
    isSharedFate?: (error: unknown) => boolean;
  },
): (input: Input) => Promise<Output> {
  const waiting: Array<Call<Input, Output>> = [];
  let running = 0;

  const worthwhile = () => (running === 0 ? 1 : worthAnother);

  /** How many of those that wait the next flush takes: the first in any case. */
  function countOfNext(): number {
    let weight = 0;
    const tooMany = waiting.findIndex(({ input }, index) => {
      weight += weigh(input);
      return index === max || (index > 0 && weight > heaviest);
    });
    return tooMany === -1 ? waiting.length : tooMany;
  }

  function start(): void {
    while (running < inFlight && waiting.length >= worthwhile()) {
      const calls = waiting.splice(0, countOfNext());
      running += 1;
      void flushed(calls).then((settle) => {
        running -= 1;
        start();
        // What follows for these calls takes time: the next flush is on its way meanwhile.
        setImmediate(settle);
      });
    }
  }

  /** @returns what tells the calls how it went */
  async function flushed(calls: Array<Call<Input, Output>>): Promise<() => void> {
    try {
      const results = await flush(calls.map((call) => call.input));
      return () => {
        calls.forEach((call, index) => {
          const result = results[index] as Output | Rejection;
          if (result instanceof Rejection) call.reject(result.reason);
          else call.resolve(result);
        });
      };
    } catch (error) {
      const waitingToo = isSharedFate(error) ? waiting.splice(0) : [];
      return () => {
        for (const call of [...calls, ...waitingToo]) call.reject(error);
      };
    }
  }

  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject });
      // Calls of the same turn of the event loop share even the first flush.
      if (waiting.length === worthwhile() && running < inFlight) setImmediate(start);
    });
}

/** What a flush answers to a call that failed while its neighbours did not. */
export class Rejection {
  constructor(readonly reason: unknown) {}
}

type Call<Input, Output> = {
  input: Input;
  resolve(output: Output): void;
  reject(error: unknown): void;
};
