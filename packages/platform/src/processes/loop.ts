export type Loop = {
  /** Settles when the round that is running has ended. */
  stop(): Promise<void>;
};

export type WakeableLoop = Loop & {
  /** Ends the pause. If a round is running, the next one begins without a pause. */
  wake(): void;
};

/**
 * Runs rounds of work until it is stopped, with a pause after each.
 * @param round returns whether more work may be waiting, so that the next round begins without a pause. Its parameter is
 *   a function that returns whether the loop is still running.
 * @param onError called with the error of a round that failed. The next round begins after the usual pause
 */
export function startLoop(
  round: (goesOn: () => boolean) => Promise<boolean>,
  pauseMs: number,
  onError: (error: unknown) => void,
): WakeableLoop {
  let [stopped, isWoken] = [false, false];
  const pause = createPause();
  const goesOn = () => !stopped;

  async function run(): Promise<void> {
    while (goesOn()) {
      isWoken = false;
      const mayBeMore = await round(goesOn).catch((error) => {
        onError(error);
        return false;
      });
      if (!mayBeMore && !isWoken && goesOn()) await pause.sleep(pauseMs);
    }
  }

  function wake(): void {
    isWoken = true;
    pause.wake();
  }

  const running = run();
  return {
    wake,
    async stop() {
      stopped = true;
      pause.wake();
      await running;
    },
  };
}

/** The pause between two rounds of a loop. */
export function createPause() {
  let wake = () => {};
  return {
    /** Settles after `ms`, or at once when `wake` is called. */
    sleep: (ms: number) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    wake: () => wake(),
  };
}

/** A condition to wait for. Waiting ends at the first `check` that finds the condition true. */
type Condition = { wait(): Promise<void>; check(): void };

export function createCondition(isTrue: () => boolean): Condition {
  let settle = () => {};
  let waiting: Promise<void> | null = null;
  return {
    wait() {
      if (isTrue()) return Promise.resolve();
      waiting ??= new Promise((resolve) => {
        settle = resolve;
      });
      return waiting;
    },
    check() {
      if (waiting === null || !isTrue()) return;
      waiting = null;
      settle();
    },
  };
}
