import { Refusal } from '@posthorn/domain/errors';

/** Permission to run. `end` may be called more than once. */
export type Turn = {
  /** @param pauseMs how long to wait before the next in line gets the turn */
  end(pauseMs?: number): void;
};

export type FairQueueBounds = {
  /** How many run at the same time per owner. */
  readonly atOnce: number;
  /** How many of these turns are only for sources that have none; 0 by default. */
  readonly reserved?: number;
  /** How many may wait per owner; by default, any number. */
  readonly line?: LineBounds;
};

type LineBounds = {
  /** In total; by default, any number. */
  readonly maxWaiting?: number;
  /** With 0, nobody waits. */
  readonly maxWaitingPerSource: number;
  /** What too many from one source are refused with. */
  readonly refusal: { readonly limit: string; readonly retryAfterSeconds: number };
};

export type FairQueue = {
  /**
   * Waits until this owner, such as a workspace, may run one more. The sources of an owner take turns, so one that asks
   * for a thousand turns does not delay another that asks for one. Each source's turns are given in call order.
   * @throws Refusal rate_limited if too many from the source are waiting; unavailable if too many sources are waiting
   */
  begin(owner: string, source?: string): Promise<Turn>;
  /** How many are waiting for a turn of this owner. */
  waiting(owner: string): number;
};

type Waiting = { readonly start: () => void; readonly refuse: (refusal: Refusal) => void };

/** `queues` has those who wait, by source. The source whose turn is next comes first. */
type Line = {
  running: number;
  readonly runningOf: Map<string, number>;
  waiting: number;
  readonly queues: Map<string, Waiting[]>;
};

/** Bounds how many run at the same time, so that time, memory and Postgres connections are left for others. */
export function createFairQueue({ atOnce, reserved = 0, line: bounds }: FairQueueBounds): FairQueue {
  const lines = new Map<string, Line>();

  const mayStart = (line: Line, source: string) => atOnce - line.running > (line.runningOf.has(source) ? reserved : 0);

  function passOn(owner: string, source: string): void {
    const line = lines.get(owner);
    if (line === undefined) return;
    count(line, source, -1);
    const next = [...line.queues.keys()].find((each) => mayStart(line, each));
    if (next !== undefined) {
      count(line, next, 1);
      takeFirst(line, next).start();
    }
    if (line.running === 0) lines.delete(owner);
  }

  function waitInLine(line: Line, source: string): Promise<void> {
    return new Promise((start, refuse) => {
      const queue = line.queues.get(source) ?? [];
      if (bounds) assertRoom(line, queue.length, bounds);
      queue.push({ start, refuse });
      line.queues.set(source, queue);
      line.waiting += 1;
    });
  }

  return {
    async begin(owner, source = owner) {
      const line = lines.get(owner) ?? { running: 0, runningOf: new Map(), waiting: 0, queues: new Map() };
      lines.set(owner, line);
      if (mayStart(line, source)) count(line, source, 1);
      else await waitInLine(line, source);
      let hasEnded = false;
      return {
        end(pauseMs = 0) {
          if (hasEnded) return;
          hasEnded = true;
          if (pauseMs > 0) setTimeout(passOn, pauseMs, owner, source).unref();
          else passOn(owner, source);
        },
      };
    },
    waiting: (owner) => lines.get(owner)?.waiting ?? 0,
  };
}

/**
 * Runs expensive work in a turn.
 * @param getPauseMs how long the next in line then waits; `result` is null if the work failed. By default, if others are
 *   waiting, as long as the work took, to leave half of the time for other code
 */
export async function runInTurn<Result>(
  turns: FairQueue,
  { owner, source }: { readonly owner: string; readonly source?: string },
  work: () => Promise<Result>,
  getPauseMs = (_: Result | null, tookMs: number) => (turns.waiting(owner) > 0 ? tookMs : 0),
): Promise<Result> {
  const turn = await turns.begin(owner, source);
  const startedAt = performance.now();
  let result: Result | null = null;
  try {
    result = await work();
    return result;
  } finally {
    turn.end(getPauseMs(result, performance.now() - startedAt));
  }
}

function count(line: Line, source: string, change: 1 | -1): void {
  line.running += change;
  const running = (line.runningOf.get(source) ?? 0) + change;
  if (running > 0) line.runningOf.set(source, running);
  else line.runningOf.delete(source);
}

/** Takes the first one of a source that is waiting. A source that has had its turn moves behind all others. */
function takeFirst(line: Line, source: string): Waiting {
  const queue = line.queues.get(source) as Waiting[];
  line.queues.delete(source);
  if (queue.length > 1) line.queues.set(source, queue);
  line.waiting -= 1;
  return queue.shift() as Waiting;
}

/**
 * Makes room for one more by refusing the newest of the source that has the most waiting.
 * @param own how many the source that needs room already has waiting. Even with one more, its queue must not be the
 *   longest
 * @throws Refusal rate_limited, unavailable
 */
function assertRoom(line: Line, own: number, bounds: LineBounds): void {
  const { maxWaiting = Number.POSITIVE_INFINITY, maxWaitingPerSource, refusal } = bounds;
  if (own >= maxWaitingPerSource) throw new Refusal('rate_limited', refusal);
  if (line.waiting < maxWaiting) return;
  const longest = [...line.queues.values()].reduce((long, queue) => (queue.length > long.length ? queue : long));
  if (longest.length <= own + 1) throw new Refusal('unavailable');
  longest.pop()?.refuse(new Refusal('rate_limited', refusal));
  line.waiting -= 1;
}
