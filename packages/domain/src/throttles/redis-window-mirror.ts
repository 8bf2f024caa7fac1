import { type RateLimitState, Refusal } from '@posthorn/domain/errors';
import { formatCount } from '@posthorn/platform/values';
import { countingWindows, secondsUntil } from './counting-windows.js';

/**
 * A rate limit as one process sees it. Redis has the window that all processes share, but asking Redis takes a round
 * trip. A process can often refuse a request based on its own count and on what Redis last replied.
 */
export type RedisWindowMirror = {
  /**
   * Counts a request before any other work is done for it.
   * @throws Refusal rate_limited if the window that all processes share is certainly full
   */
  count(key: string, limit: number): void;
  /**
   * While Redis is unreachable: counts the rest of a batch, after `count` has counted the first email.
   * @returns the limit as this process knows it
   * @throws Refusal rate_limited if the rest does not fit, unless the window was empty before the batch
   */
  countRest(key: string, limit: number, emails: number): RateLimitState;
  /**
   * Remembers what Redis replied. If nothing is left, `count` refuses requests until the window may have room again.
   */
  rememberReply(key: string, rate: RateLimitState): void;
  /** The state of the limit while Redis is unreachable. It includes only the requests that this process counted. */
  state(key: string, limit: number): RateLimitState;
};

/** The window in Redis is 60 seconds long. */
const WINDOW_MS = 60_000;
/**
 * Redis counts by whole seconds, so a request leaves its window up to a second early. Windows in this process end a
 * second early too, so that the process never refuses what Redis would allow.
 */
const EARLY_MS = 1_000;

/** @param what a plural noun, as in "You reached the limit of 60 emails per minute." */
export function redisWindowMirror(what: string): RedisWindowMirror {
  const windows = countingWindows(WINDOW_MS - EARLY_MS);

  function state(key: string, limit: number): RateLimitState {
    const { count, endsAt } = windows.windowFor(key);
    return { limit, remaining: Math.max(0, limit - count), resetSeconds: secondsUntil(endsAt + EARLY_MS) };
  }

  return {
    count(key, limit) {
      const window = windows.windowFor(key);
      if (window.count >= limit) throw rateLimitRefusal(state(key, limit), what);
      window.count += 1;
    },
    countRest(key, limit, emails) {
      const window = windows.windowFor(key);
      const rest = emails - 1;
      if (rest > 0 && window.count > 1 && window.count + rest > limit) throw rateLimitRefusal(state(key, limit), what);
      window.count += rest;
      return state(key, limit);
    },
    rememberReply(key, { limit, remaining, resetSeconds }) {
      if (remaining > 0) return;
      const window = windows.windowFor(key);
      window.count = Math.max(window.count, limit);
      window.endsAt = Date.now() + resetSeconds * 1_000 - EARLY_MS;
    },
    state,
  };
}

/**
 * @param what a plural noun for the refusal, such as `emails`
 * @param retryAfterSeconds seconds until there is room for the whole batch; by default, seconds until there is room for
 *   one email or request
 */
export function rateLimitRefusal(
  rate: RateLimitState,
  what: string,
  retryAfterSeconds: number = rate.resetSeconds,
): Refusal {
  const limit = `${formatCount(rate.limit)} ${what} per minute`;
  return new Refusal('rate_limited', { limit, retryAfterSeconds: Math.max(1, retryAfterSeconds) }).with({ rate });
}
