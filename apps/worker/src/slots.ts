/** How much one worker holds at a time. */
export type Slots = {
  /** Waits for a slot that bells may use. @returns false once the worker stops */
  take(): Promise<boolean>;
  /** Takes up to `most` of all slots that are free now. @returns how many */
  takeFree(most: number): number;
  release(count?: number): void;
  inUse(): number;
  /** Nobody gets a slot any more. */
  stop(): void;
};

/** The part of the slots that bells leave to the sweep. */
const RESERVED_SHARE = 0.2;

/**
 * Bells come in the order of acceptance, so one tenant's flood fills them; the sweep takes from every
 * tenant alike. A fifth of the slots is kept for it: that is what lets a single mail pass a flood.
 */
export function createSlots(size: number): Slots {
  const forBells = Math.max(1, size - Math.max(1, Math.round(size * RESERVED_SHARE)));
  let waiting: Array<(granted: boolean) => void> = [];
  let used = 0;
  let stopped = false;

  function grant(): void {
    while (used < forBells && waiting.length > 0) {
      used += 1;
      waiting.shift()?.(true);
    }
  }

  return {
    take: () =>
      new Promise((resolve) => {
        if (stopped) return resolve(false);
        waiting.push(resolve);
        grant();
      }),
    takeFree(most) {
      const taken = stopped ? 0 : Math.max(0, Math.min(most, size - used));
      used += taken;
      return taken;
    },
    release(count = 1) {
      used -= count;
      grant();
    },
    inUse: () => used,
    stop() {
      stopped = true;
      for (const resolve of waiting) resolve(false);
      waiting = [];
    },
  };
}
