import type { Context } from '../context.js';
import { Refusal } from '../errors.js';
import { localLimiter } from './local-limiter.js';

/** Counts and answers 0; at the limit it counts nothing and answers the seconds to wait. */
const COUNT = `
if tonumber(redis.call('GET', KEYS[1]) or 0) >= tonumber(ARGV[1]) then
  return math.max(1, redis.call('TTL', KEYS[1]))
end
if redis.call('INCR', KEYS[1]) == 1 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
return 0`;

const UNCOUNT = `
if tonumber(redis.call('GET', KEYS[1]) or 0) > 0 then redis.call('DECR', KEYS[1]) end`;

export type AttemptCounter = {
  /** To be called before the attempt: a thousand at once must not all pass the same count. @throws Refusal rate_limited */
  count(key: string): Promise<void>;
  /** Takes one back: the attempt did not fail. */
  uncount(key: string): Promise<void>;
  clear(key: string): Promise<void>;
};

/**
 * A fixed window per key in Redis, for all processes together; while Redis is away each process
 * counts for itself.
 * @param what is limited, for the refusal: "The limit of 10 failed log-ins in 15 minutes ..."
 */
export function openAttemptCounter(
  { redis }: Pick<Context, 'redis'>,
  { limit, windowMinutes, what }: { limit: number; windowMinutes: number; what: string },
): AttemptCounter {
  const windowSeconds = windowMinutes * 60;
  const local = localLimiter({ limit, windowSeconds, what });

  return {
    async count(key) {
      const retryAfterSeconds = await redis.eval(COUNT, 1, key, limit, windowSeconds).catch(() => null);
      if (retryAfterSeconds === null) {
        local.assertOpen(key);
        local.count(key);
      } else if (Number(retryAfterSeconds) > 0) {
        const text = `${limit} ${what} in ${windowMinutes} minutes`;
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
