import { Refusal } from '../errors.js';
import { formatWindow } from './format-window.js';

const MAX_COUNTED_KEYS = 100_000;

export type LocalLimiter = ReturnType<typeof localLimiter>;

/**
 * Counts in a fixed window per key, in this process only. It limits guesses at credentials, and replaces the
 * limits in Redis while Redis is unreachable.
 * @param what names what is counted in the refusal: "You reached the limit of 60 emails in 60 seconds."
 */
export function localLimiter({ limit, windowSeconds, what }: { limit: number; windowSeconds: number; what: string }) {
  let windows = new Map<string, { endsAt: number; count: number }>();

  function windowOf(key: string) {
    const now = Date.now();
    const open = windows.get(key);
    if (open && open.endsAt > now) return open;
    if (windows.size >= MAX_COUNTED_KEYS) windows = new Map();
    const fresh = { endsAt: now + windowSeconds * 1_000, count: 0 };
    windows.set(key, fresh);
    return fresh;
  }

  return {
    count(key: string): void {
      windowOf(key).count += 1;
    },
    uncount(key: string): void {
      const open = windowOf(key);
      open.count = Math.max(0, open.count - 1);
    },
    clear(key: string): void {
      windows.delete(key);
    },
    /** What is left in the window of this key, and the whole seconds until the window ends. */
    state(key: string): { remaining: number; resetSeconds: number } {
      const { count, endsAt } = windowOf(key);
      return { remaining: Math.max(0, limit - count), resetSeconds: secondsUntil(endsAt) };
    },
    /** @throws Refusal rate_limited once the window's limit is reached */
    assertOpen(key: string): void {
      const { count, endsAt } = windowOf(key);
      if (count < limit) return;
      const retryAfterSeconds = secondsUntil(endsAt);
      throw new Refusal('rate_limited', {
        limit: `${limit} ${what} in ${formatWindow(windowSeconds)}`,
        retryAfterSeconds,
      });
    },
  };
}

function secondsUntil(time: number): number {
  return Math.max(1, Math.ceil((time - Date.now()) / 1_000));
}
