import { Refusal } from '@posthorn/domain/errors';
import type { Context } from '@posthorn/platform';
import { formatCount } from '@posthorn/platform/values';
import { fixedWindowLimiter } from './fixed-window-limiter.js';
import { formatWindow } from './format-window.js';

/**
 * Counts one attempt and returns 0. If the limit has been reached, it counts nothing and returns the seconds to wait.
 */
const COUNT = `
if tonumber(redis.call('GET', KEYS[1]) or 0) >= tonumber(ARGV[1]) then
  return math.max(1, redis.call('TTL', KEYS[1]))
end
if redis.call('INCR', KEYS[1]) == 1 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
return 0`;

const UNCOUNT = `
if tonumber(redis.call('GET', KEYS[1]) or 0) > 0 then redis.call('DECR', KEYS[1]) end`;

export type SharedLimiter = {
  /**
   * Call this before the attempt that it counts. Otherwise a thousand simultaneous attempts could all be checked
   * against the same count.
   * @throws Refusal rate_limited
   */
  count(key: string): Promise<void>;
  /** Undoes the count of an attempt that should not count after all, such as a login that did not fail. */
  uncount(key: string): Promise<void>;
  clear(key: string): Promise<void>;
};

/**
 * Counts attempts in a fixed window per key in Redis, which all processes share. While Redis is unreachable, each
 * process counts on its own.
 * @param what a plural noun, as in "You reached the limit of 10 failed logins in 15 minutes."
 */
export function openSharedLimiter(
  { redis }: Pick<Context, 'redis'>,
  { limit, windowMinutes, what }: { limit: number; windowMinutes: number; what: string },
): SharedLimiter {
  const windowSeconds = windowMinutes * 60;
  const local = fixedWindowLimiter({ limit, windowSeconds, what });

  return {
    async count(key) {
      const retryAfterSeconds = await redis.eval(COUNT, 1, key, limit, windowSeconds).catch(() => null);
      if (retryAfterSeconds === null) {
        local.assertBelowLimit(key);
        local.count(key);
      } else if (Number(retryAfterSeconds) > 0) {
        const text = `${formatCount(limit)} ${what} in ${formatWindow(windowSeconds)}`;
        throw new Refusal('rate_limited', { limit: text, retryAfterSeconds: Number(retryAfterSeconds) });
      }
    },
    async uncount(key) {
      await redis.eval(UNCOUNT, 1, key).catch(() => local.uncount(key));
    },
    async clear(key) {
      await redis.del(key).catch(() => local.clear(key));
    },
  };
}
