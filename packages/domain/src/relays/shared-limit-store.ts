import type { Context } from '@posthorn/platform';
import type { RedisClient } from '@posthorn/platform/redis';
import type { Rate } from './relay.js';

type LimitContext = Pick<Context, 'incarnation' | 'redis'>;

type LimitRedis = RedisClient & {
  reserveTurns(key: string, intervalUs: number, count: number, aheadUs: number): Promise<number>;
  takeSession(key: string, session: string, max: number, leaseMs: number): Promise<number>;
  keepSessions(key: string, leaseMs: number, ...sessions: string[]): Promise<number>;
};

function withCommands(redis: RedisClient): LimitRedis {
  if (!('reserveTurns' in redis)) {
    redis.defineCommand('reserveTurns', { numberOfKeys: 1, lua: RESERVE_TURNS });
    redis.defineCommand('takeSession', { numberOfKeys: 1, lua: TAKE_SESSION });
    redis.defineCommand('keepSessions', { numberOfKeys: 1, lua: KEEP_SESSIONS });
  }
  return redis as LimitRedis;
}

/** The pause between two recipients that a rate leaves, in microseconds. */
export function toIntervalUs({ recipients, seconds }: Rate): number {
  return Math.ceil((seconds * 1_000_000) / recipients);
}

/**
 * Reserves the next turns of a rate, which all workers share. Turns follow each other at even intervals, and those that
 * nobody took are lost.
 * @param aheadMs the first one must be at most this far away
 * @returns the milliseconds until the first one; null if it is further away, and nothing is reserved
 * @throws Error if Redis is unreachable
 */
export async function reserveTurns(
  ctx: LimitContext,
  relayId: string,
  { rate, count, aheadMs }: { readonly rate: Rate; readonly count: number; readonly aheadMs: number },
): Promise<number | null> {
  const key = ctx.incarnation.key(`relay:rate:${relayId}`);
  const us = await withCommands(ctx.redis).reserveTurns(key, toIntervalUs(rate), count, aheadMs * 1_000);
  return us < 0 ? null : us / 1_000;
}

/** The virtual scheduling of the generic cell rate algorithm (ITU-T I.371), without a burst. The key has the next free time. */
const RESERVE_TURNS = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local start = math.max(now, tonumber(redis.call('GET', KEYS[1]) or 0))
if start - now > tonumber(ARGV[3]) then return -1 end
local free = start + ARGV[1] * ARGV[2]
redis.call('SET', KEYS[1], string.format('%.0f', free), 'PX', string.format('%.0f', math.ceil((free - now) / 1000) + 1))
return start - now`;

/** A session that its worker does not keep ends after this time. */
export const SESSION_LEASE_MS = 15_000;

const toSessionsKey = ({ incarnation }: LimitContext, relayId: string) => incarnation.key(`relay:sessions:${relayId}`);

/**
 * Takes the right to a session with a relay, of which all workers together may have `max`.
 * @returns false if they have that many
 * @throws Error if Redis is unreachable
 */
export async function takeSession(
  ctx: LimitContext,
  relayId: string,
  { session, max }: { readonly session: string; readonly max: number },
): Promise<boolean> {
  const key = toSessionsKey(ctx, relayId);
  return (await withCommands(ctx.redis).takeSession(key, session, max, SESSION_LEASE_MS)) === 1;
}

const TAKE_SESSION = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`;

/** Keeps open sessions from ending, also those that Redis has forgotten. */
export async function keepSessions(ctx: LimitContext, relayId: string, sessions: readonly string[]): Promise<void> {
  if (sessions.length > 0)
    await withCommands(ctx.redis).keepSessions(toSessionsKey(ctx, relayId), SESSION_LEASE_MS, ...sessions);
}

const KEEP_SESSIONS = `
local time = redis.call('TIME')
local till = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[1]
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], till, ARGV[i]) end
return redis.call('PEXPIRE', KEYS[1], ARGV[1])`;

export async function returnSession(ctx: LimitContext, relayId: string, session: string): Promise<void> {
  await ctx.redis.zrem(toSessionsKey(ctx, relayId), session);
}
