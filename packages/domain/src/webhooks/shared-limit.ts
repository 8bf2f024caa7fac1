import type { Context } from '@posthorn/platform';
import type { RedisClient } from '@posthorn/platform/redis';

/**
 * A limit on requests to receivers that all workers share, such as that of one address. How many requests may run at the
 * same time depends on how the earlier ones ended. Workers take shares of a limit, so that a request needs no round trip.
 */
export type SharedLimit = {
  /** Names what is limited. */
  readonly key: string;
  /** How many requests may run at the same time at first. Each accepted one adds one, up to `most`. */
  readonly first: number;
  readonly most: number;
  /** How many fewer may run after a request that was answered, but not accepted, and after one that was not answered. */
  readonly lessAfterRefused: number;
  readonly lessAfterUnanswered: number;
  /** How many requests may begin in each window: until one was accepted, and from then on. */
  readonly perWindow: { readonly atFirst: number; readonly proven: number };
  readonly windowSeconds: number;
  /** How many leases of a worker may use it at the same time. */
  readonly mostLeases: number;
  /** Whether it no longer applies to a lease once one of its requests was accepted. */
  readonly endsWhenAccepted: boolean;
  /** Whether `proven` can be twice what was accepted in the best window. */
  readonly growsWithAnswers: boolean;
};

/** How many requests of a worker have ended since its last call, and what it needs for the next ones. */
export type ShareRequest = {
  readonly worker: string;
  readonly accepted: number;
  readonly refused: number;
  readonly unanswered: number;
  /** How many of its requests are running. */
  readonly running: number;
  /** How many it wants to run at the same time. */
  readonly atOnce: number;
  /** How many more requests it wants to begin. */
  readonly starts: number;
};

/** What a worker may do. `atOnce` is valid for `SHARE_MS`, `starts` until the window ends. */
export type Share = {
  readonly atOnce: number;
  readonly starts: number;
  /** How many requests of all workers may run at the same time. */
  readonly total: number;
  readonly windowEndsInMs: number;
};

/** For so long, a share is kept for a worker, which may have died. */
export const SHARE_MS = 2_000;
/** For so long, it is known how requests ended. Then the limit starts over. */
const MEMORY_MS = 600_000;

/** Reports how requests ended, and takes the share for the next ones. @throws Error if Redis is unreachable */
export async function claimShare(
  { redis }: Pick<Context, 'redis'>,
  limit: SharedLimit,
  request: ShareRequest,
): Promise<Share> {
  const { accepted, refused, unanswered } = request;
  const [atOnce, starts, total, windowEndsInMs] = await withCommand(redis).claimShare(
    `webhooks:limit:${limit.key}`,
    request.worker,
    ...[limit.first, limit.most],
    ...[accepted, accepted - refused * limit.lessAfterRefused - unanswered * limit.lessAfterUnanswered],
    ...[request.running, request.atOnce, request.starts],
    ...[limit.perWindow.atFirst, limit.perWindow.proven, limit.windowSeconds * 1_000],
    limit.growsWithAnswers ? 1 : 0,
  );
  return { atOnce, starts, total, windowEndsInMs };
}

type ShareReply = [atOnce: number, starts: number, total: number, windowEndsInMs: number];

type SharingRedis = RedisClient & {
  claimShare(key: string, worker: string, ...values: number[]): Promise<ShareReply>;
};

function withCommand(redis: RedisClient): SharingRedis {
  if (!('claimShare' in redis)) redis.defineCommand('claimShare', { numberOfKeys: 1, lua: CLAIM_SHARE });
  return redis as SharingRedis;
}

/**
 * `share:<worker>` has what a worker was given, or what it is still running if that is more, what it wanted, and until
 * when that is valid. If the workers together want more than `total`, each is given the same part of it, or what the
 * others do not want.
 */
const CLAIM_SHARE = `
local worker = ARGV[1]
local first, most, accepted, change, running, atOnce, starts, perWindow, proven, windowMs =
  tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]),
  tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11])
local grows = ARGV[12] == '1'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local stored, given, wanted, workers = {}, 0, 0, 1
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local other = string.match(all[i], '^share:(.*)')
  if not other then
    stored[all[i]] = tonumber(all[i + 1])
  elseif other ~= worker then
    local shareGiven, shareWanted, till = string.match(all[i + 1], '(%d+) (%d+) (%d+)')
    if tonumber(till) < now then
      redis.call('HDEL', KEYS[1], all[i])
    else
      given, wanted, workers = given + shareGiven, wanted + shareWanted, workers + 1
    end
  end
end

local acceptedAt = accepted > 0 and now or stored.acceptedAt
local isProven = acceptedAt and now - acceptedAt < ${MEMORY_MS}
local total = isProven and stored.total or first
total = math.max(first, math.min(most, total + change))
local fair = math.max(1, math.ceil(total / workers), total - wanted)
local share = math.max(0, math.min(atOnce, fair, total - given))

local window, begun, done, best = now, 0, 0, isProven and stored.best or 0
if stored.window and now - stored.window < windowMs then
  window, begun, done = stored.window, stored.begun, stored.done
end
done = done + accepted
best = math.max(best, done)
if isProven then perWindow = grows and math.max(proven, 2 * best) or proven end
starts = math.max(0, math.min(starts, perWindow - begun))

redis.call('HSET', KEYS[1], 'share:' .. worker, math.max(share, running) .. ' ' .. atOnce .. ' ' .. (now + ${SHARE_MS}),
  'total', total, 'window', window, 'begun', begun + starts, 'done', done, 'best', best)
if acceptedAt then redis.call('HSET', KEYS[1], 'acceptedAt', acceptedAt) end
redis.call('PEXPIRE', KEYS[1], ${MEMORY_MS})
return { share, starts, total, window + windowMs - now }`;
