import { type RateLimitState, Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import type { Workspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import type { RedisClient } from '@posthorn/platform/redis';
import { formatCount } from '@posthorn/platform/values';
import { countSecondsUntil, createFixedWindows, type WindowContext } from './fixed-window.js';

/** The kinds of requests that send nothing. Heavy requests take more work, so their limit is lower. */
export type RequestKind = 'requests' | 'heavyRequests';

/**
 * A workspace with a higher rate limit for emails may also make more other requests. For each email per minute, it may
 * make this many requests of each kind per minute.
 */
const PER_EMAIL: Readonly<Record<RequestKind, number>> = { requests: 10, heavyRequests: 2 };

/** What one process has counted. */
export type Windows = WindowContext['windows'] & {
  /** Requests that send nothing, per key or user. */
  readonly requests: SlidingWindowMirror;
};

export function createWindows(): Windows {
  return { fixed: new Map(), requests: createSlidingWindowMirror('requests') };
}

type RequestContext = Pick<Context, 'redis' | 'log'> & { readonly windows: Pick<Windows, 'requests'> };

/**
 * Counts one request that sends nothing. While Redis is unreachable, each process counts on its own.
 * @param caller.id the API key or user that the request counts against
 * @throws Refusal rate_limited
 */
export async function countRequest(
  { redis, log, windows }: RequestContext,
  kind: RequestKind,
  { id, workspace }: { readonly id: string; readonly workspace: Workspace },
): Promise<RateLimitState> {
  const limit = Math.max(limits[kind].max, PER_EMAIL[kind] * workspace.allowance.ratePerMinute);
  const counted = buildRateWindows(`{${workspace.id}}:requests:${kind}`, id, limit);
  windows.requests.count(counted);
  const reply = await withCommand(redis)
    .countRequest(counted.ofCaller.key, counted.ofWorkspace.key, limit, counted.ofWorkspace.limit)
    .catch((error) => {
      log.debug({ error }, 'request_not_counted_in_redis');
      return null;
    });
  if (reply === null) return windows.requests.state(counted);
  const [isAllowed, remaining, resetSeconds, isOfWorkspace] = reply;
  const { key, ...reached } = isOfWorkspace === 1 ? counted.ofWorkspace : counted.ofCaller;
  const rate = { limit: reached.limit, remaining, resetSeconds };
  windows.requests.rememberReply(key, rate);
  if (isAllowed === 0) throw toRateLimitRefusal(rate, reached.isOfWorkspace ? OF_WORKSPACE.requests : 'requests');
  return rate;
}

type CountingRedis = RedisClient & {
  countRequest(
    ofCaller: string,
    ofWorkspace: string,
    limit: number,
    workspaceLimit: number,
  ): Promise<[isAllowed: number, remaining: number, resetSeconds: number, isOfWorkspace: number]>;
};

function withCommand(redis: RedisClient): CountingRedis {
  if (!('countRequest' in redis)) redis.defineCommand('countRequest', { numberOfKeys: 2, lua: COUNT_REQUEST });
  return redis as CountingRedis;
}

/** One window in Redis. */
export type RateWindow = { readonly key: string; readonly limit: number; readonly isOfWorkspace: boolean };

/** Every request counts in two windows: that of its key or user, and that of the workspace. */
export type RateWindows = { readonly ofCaller: RateWindow; readonly ofWorkspace: RateWindow };

/** @param limit of one key or user */
export function buildRateWindows(prefix: string, callerId: string, limit: number): RateWindows {
  return {
    ofCaller: { key: `${prefix}:${callerId}`, limit, isOfWorkspace: false },
    ofWorkspace: { key: prefix, limit: limit * limits.workspaceRate.max, isOfWorkspace: true },
  };
}

/** What the limits of a workspace count, in refusals. */
export const OF_WORKSPACE = {
  emails: 'emails of all keys and users of the workspace together',
  requests: 'requests of all keys and users of the workspace together',
} as const;

export type Counted = keyof typeof OF_WORKSPACE;

/**
 * A rate limit as one process sees it. Redis has the window that all processes share, but asking Redis takes a round
 * trip. A process can often refuse a request based on its own count and on what Redis last replied.
 */
export type SlidingWindowMirror = {
  /**
   * Counts a request before any other work is done for it.
   * @throws Refusal rate_limited if one of the windows that all processes share is certainly full
   */
  count(windows: RateWindows): void;
  /**
   * While Redis is unreachable: counts the rest of a batch, after `count` has counted the first email.
   * @returns the limit as this process knows it
   * @throws Refusal rate_limited if the rest does not fit, unless the window was empty before the batch
   */
  countRest(windows: RateWindows, emails: number): RateLimitState;
  /**
   * Remembers what Redis replied. If nothing is left, `count` refuses requests until the window may have room again.
   */
  rememberReply(key: string, rate: RateLimitState): void;
  /** The state of the limit while Redis is unreachable. It includes only the requests that this process counted. */
  state(windows: RateWindows): RateLimitState;
};

/** The window in Redis is 60 seconds long. */
const WINDOW_MS = 60_000;
/**
 * Redis counts by whole seconds, so a request leaves its window up to a second early. Windows in this process end a
 * second early too, so that the process never refuses what Redis would allow.
 */
const EARLY_MS = 1_000;

/** @param what as in "You reached the limit of 60 emails per minute." */
export function createSlidingWindowMirror(what: Counted): SlidingWindowMirror {
  const windows = createFixedWindows(WINDOW_MS - EARLY_MS);

  function stateOf({ key, limit }: RateWindow): RateLimitState {
    const { count, endsAt } = windows.windowFor(key);
    return { limit, remaining: Math.max(0, limit - count), resetSeconds: countSecondsUntil(endsAt + EARLY_MS) };
  }

  function state({ ofCaller, ofWorkspace }: RateWindows): RateLimitState {
    const [caller, workspace] = [stateOf(ofCaller), stateOf(ofWorkspace)];
    return workspace.remaining < caller.remaining ? workspace : caller;
  }

  /** @param isFull whether a window with this count has no room */
  function add(
    { ofCaller, ofWorkspace }: RateWindows,
    count: number,
    isFull: (counted: number, limit: number) => boolean,
  ): void {
    for (const window of [ofCaller, ofWorkspace]) {
      if (isFull(windows.windowFor(window.key).count, window.limit))
        throw toRateLimitRefusal(stateOf(window), window.isOfWorkspace ? OF_WORKSPACE[what] : what);
    }
    for (const { key } of [ofCaller, ofWorkspace]) windows.windowFor(key).count += count;
  }

  return {
    count: (counted) => add(counted, 1, (count, limit) => count >= limit),
    countRest(counted, emails) {
      const rest = emails - 1;
      add(counted, rest, (count, limit) => rest > 0 && count > 1 && count + rest > limit);
      return state(counted);
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
export function toRateLimitRefusal(
  rate: RateLimitState,
  what: string,
  retryAfterSeconds: number = rate.resetSeconds,
): Refusal {
  const limit = `${formatCount(rate.limit)} ${what} per minute`;
  return new Refusal('rate_limited', { limit, retryAfterSeconds: Math.max(1, retryAfterSeconds) }).with({ rate });
}

/**
 * Lua for a rate limit: a window of 60 seconds that slides by whole seconds, measured by Redis' clock. A hash holds
 * the count of each second that has requests (at most 60, whatever the limit), their total, and the oldest of those
 * seconds. Each window is read and written once per call, however many requests it counts.
 *
 * Defines `windowOf(name)`, whose result contains `total` and `oldest`; `countIn(window, count)`;
 * `takeOut(name, second, count)` for what was counted earlier and not used; `resetSeconds(window)`;
 * `secondsUntilRoom(window, limit, count)`; `findFull` and `tighterOf`, for the windows of a caller and its workspace; and
 * `writeWindows()`, which a script calls last.
 */
export const SLIDING_WINDOW_SCRIPT = `
local WINDOW = 60
local now = tonumber(redis.call('TIME')[1])
local windows = {}

local function windowOf(rate)
  if windows[rate] then return windows[rate] end
  local stored = redis.call('HMGET', rate, 'total', 'oldest')
  local total, oldest = tonumber(stored[1] or 0), tonumber(stored[2] or now)
  while total > 0 and oldest <= now do
    local count = tonumber(redis.call('HGET', rate, oldest) or 0)
    if count > 0 and oldest > now - WINDOW then break end
    if count > 0 then redis.call('HDEL', rate, oldest) end
    total = total - count
    oldest = oldest + 1
  end
  if total == 0 then oldest = now end
  windows[rate] = { name = rate, total = total, oldest = oldest, added = 0 }
  return windows[rate]
end

local function countIn(window, count)
  window.total = window.total + count
  window.added = window.added + count
end

-- Call this before windowOf: it writes at once. Takes nothing out of a second that has left the window.
local function takeOut(rate, second, count)
  if count == 0 then return end
  local taken = math.min(count, tonumber(redis.call('HGET', rate, second) or 0))
  if taken <= 0 then return end
  if redis.call('HINCRBY', rate, second, -taken) == 0 then redis.call('HDEL', rate, second) end
  redis.call('HINCRBY', rate, 'total', -taken)
end

local function resetSeconds(window)
  return window.oldest + WINDOW - now
end

local function secondsUntilRoom(window, limit, count)
  local total, second = window.total, window.oldest
  while total > 0 and total + count > limit and second < now do
    total = total - tonumber(redis.call('HGET', window.name, second) or 0)
    second = second + 1
  end
  return math.max(1, second - 1 + WINDOW - now)
end

-- The first window that has no room, and its limit; nil if both have room. A batch that is larger than
-- the limit passes when the window is empty. Otherwise, it could never pass.
local function findFull(caller, limit, workspace, workspaceLimit, count)
  local function isFull(window, max)
    return window.total + count > max and not (count > 1 and window.total == 0)
  end
  if isFull(caller, limit) then return caller, limit end
  if isFull(workspace, workspaceLimit) then return workspace, workspaceLimit end
  return nil
end

-- The window with less room, and its limit.
local function tighterOf(caller, limit, workspace, workspaceLimit)
  if workspaceLimit - workspace.total < limit - caller.total then return workspace, workspaceLimit end
  return caller, limit
end

local function writeWindows()
  for rate, window in pairs(windows) do
    if window.added > 0 then redis.call('HINCRBY', rate, now, window.added) end
    redis.call('HSET', rate, 'total', window.total, 'oldest', window.oldest)
    redis.call('EXPIRE', rate, WINDOW + 1)
  end
end
`;

/**
 * KEYS: the windows of the caller and of the workspace. ARGV: their limits. Returns whether the request is allowed, how
 * many are left, the seconds until the reset, and whether these numbers are the workspace's.
 */
const COUNT_REQUEST = `${SLIDING_WINDOW_SCRIPT}
local caller, workspace = windowOf(KEYS[1]), windowOf(KEYS[2])
local isAllowed = findFull(caller, tonumber(ARGV[1]), workspace, tonumber(ARGV[2]), 1) == nil
if isAllowed then
  countIn(caller, 1)
  countIn(workspace, 1)
end
local window, limit = tighterOf(caller, tonumber(ARGV[1]), workspace, tonumber(ARGV[2]))
writeWindows()
return { isAllowed and 1 or 0, math.max(0, limit - window.total), resetSeconds(window), window == workspace and 1 or 0 }`;
