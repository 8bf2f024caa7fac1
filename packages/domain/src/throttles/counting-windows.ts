/**
 * Once there are this many keys, all counts are forgotten, which limits memory use. Attackers gain little from that: a
 * client with 100,000 IP addresses has 100,000 windows anyway.
 */
const MAX_COUNTED_KEYS = 100_000;

export type CountingWindow = { endsAt: number; count: number };

export type CountingWindows = ReturnType<typeof countingWindows>;

/** Keeps a count per key in fixed windows, in this process only. A window begins with the first use of its key. */
export function countingWindows(windowMs: number) {
  let windows = new Map<string, CountingWindow>();
  return {
    windowFor(key: string): CountingWindow {
      const now = Date.now();
      const open = windows.get(key);
      if (open && open.endsAt > now) return open;
      if (windows.size >= MAX_COUNTED_KEYS) windows = new Map();
      const fresh = { endsAt: now + windowMs, count: 0 };
      windows.set(key, fresh);
      return fresh;
    },
    delete(key: string): void {
      windows.delete(key);
    },
  };
}

/** The seconds until a time, rounded up; at least 1. */
export function secondsUntil(time: number): number {
  return Math.max(1, Math.ceil((time - Date.now()) / 1_000));
}
