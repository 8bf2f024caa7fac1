import { type RateLimitState, Refusal } from '@posthorn/domain/errors';
import { formatCount } from '@posthorn/platform/values';
import { countingWindows, secondsUntil } from './counting-windows.js';
import { formatWindow } from './format-window.js';

export type FixedWindowLimiter = ReturnType<typeof fixedWindowLimiter>;

/**
 * Counts events in a fixed window per key, in this process only. It limits guesses at credentials and requests without
 * credentials, and it replaces the limits in Redis while Redis is unreachable.
 * @param what a plural noun, as in "You reached the limit of 60 emails in 60 seconds."
 */
export function fixedWindowLimiter({
  limit,
  windowSeconds,
  what,
}: {
  limit: number;
  windowSeconds: number;
  what: string;
}) {
  const windows = countingWindows(windowSeconds * 1_000);

  function state(key: string): RateLimitState {
    const { count, endsAt } = windows.windowFor(key);
    return { limit, remaining: Math.max(0, limit - count), resetSeconds: secondsUntil(endsAt) };
  }

  return {
    count(key: string): void {
      windows.windowFor(key).count += 1;
    },
    uncount(key: string): void {
      const window = windows.windowFor(key);
      window.count = Math.max(0, window.count - 1);
    },
    clear(key: string): void {
      windows.delete(key);
    },
    /** The limit, what is left of it for this key, and when the window ends. */
    state,
    /** @throws Refusal rate_limited once the window's limit is reached */
    assertBelowLimit(key: string): void {
      const { count, endsAt } = windows.windowFor(key);
      if (count < limit) return;
      const text = `${formatCount(limit)} ${what} in ${formatWindow(windowSeconds)}`;
      const refusal = new Refusal('rate_limited', { limit: text, retryAfterSeconds: secondsUntil(endsAt) });
      throw refusal.with({ rate: state(key) });
    },
  };
}
