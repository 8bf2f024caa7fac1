import type { RateLimitState } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import type { Workspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { keys, type RedisClient } from '@posthorn/platform/redis';
import { RATE_WINDOW_SCRIPT } from './rate-window-script.js';
import { rateLimitRefusal, redisWindowMirror } from './redis-window-mirror.js';

/** The kinds of requests that send nothing. Heavy requests take more work, so their limit is lower. */
export type RequestKind = 'requests' | 'heavyRequests';

/**
 * A workspace with a higher rate limit for emails may also make more other requests. For each email per minute, it may
 * make this many requests of each kind per minute.
 */
const PER_EMAIL: Readonly<Record<RequestKind, number>> = { requests: 10, heavyRequests: 2 };

/**
 * Counts one request from a caller.
 * @param id the API key or user that the request counts against
 * @throws Refusal rate_limited
 */
export type CountRequest = (
  kind: RequestKind,
  caller: { readonly id: string; readonly workspace: Workspace },
) => Promise<RateLimitState>;

/**
 * KEYS: the window. ARGV: the limit. Returns whether the request is allowed, how many are left, and the seconds until
 * the reset.
 */
const COUNT_REQUEST = `${RATE_WINDOW_SCRIPT}
local window, limit = windowOf(KEYS[1]), tonumber(ARGV[1])
local isAllowed = window.total < limit
if isAllowed then countIn(window, 1) end
writeWindows()
return { isAllowed and 1 or 0, math.max(0, limit - window.total), resetSeconds(window) }`;

type CountingRedis = RedisClient & {
  countRequest(key: string, limit: number): Promise<[isAllowed: number, remaining: number, resetSeconds: number]>;
};

/** The rate limits for requests that send nothing. While Redis is unreachable, each process counts on its own. */
export function openRequestLimiter({ redis, log }: Pick<Context, 'redis' | 'log'>): CountRequest {
  const inThisProcess = redisWindowMirror('requests');
  redis.defineCommand('countRequest', { numberOfKeys: 1, lua: COUNT_REQUEST });

  return async (kind, { id, workspace }) => {
    const limit = Math.max(limits[kind].max, PER_EMAIL[kind] * workspace.allowance.ratePerMinute);
    const key = keys.requests(workspace.id, kind, id);
    inThisProcess.count(key, limit);
    const reply = await (redis as CountingRedis).countRequest(key, limit).catch((error) => {
      log.debug({ error }, 'request_not_counted_in_redis');
      return null;
    });
    if (reply === null) return inThisProcess.state(key, limit);
    const [isAllowed, remaining, resetSeconds] = reply;
    const rate = { limit, remaining, resetSeconds };
    inThisProcess.rememberReply(key, rate);
    if (isAllowed === 0) throw rateLimitRefusal(rate, 'requests');
    return rate;
  };
}
