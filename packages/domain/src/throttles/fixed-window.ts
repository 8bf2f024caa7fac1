import { type RateLimitState, Refusal } from '@posthorn/domain/errors';
import type { Context } from '@posthorn/platform';
import { formatCount, formatCountOf } from '@posthorn/platform/values';

/**
 * How often something may happen per key in a fixed window, which begins with the first event.
 * @property what a plural noun, as in "You reached the limit of 10 failed logins in 15 minutes."
 */
export type WindowLimit = { readonly limit: number; readonly windowSeconds: number; readonly what: string };

const HOUR_SECONDS = 3_600;

export const perHour = (limit: number, what: string): WindowLimit => ({ limit, windowSeconds: HOUR_SECONDS, what });
export const perDay = (limit: number, what: string): WindowLimit => ({ limit, windowSeconds: 24 * HOUR_SECONDS, what });

/** What one process has counted, by limit. */
export type WindowContext = { readonly windows: { readonly fixed: Map<WindowLimit, FixedWindows> } };

/** @param count how many events, or bytes */
export function countInProcess(ctx: WindowContext, limit: WindowLimit, key: string, count = 1): void {
  windowFor(ctx, limit, key).count += count;
}

export function clearInProcess({ windows }: WindowContext, limit: WindowLimit, key: string): void {
  windows.fixed.get(limit)?.delete(key);
}

/** The limit, what this process has left of it for this key, and when the window ends. */
export function readWindow(ctx: WindowContext, limit: WindowLimit, key: string): RateLimitState {
  const { count, endsAt } = windowFor(ctx, limit, key);
  return { limit: limit.limit, remaining: Math.max(0, limit.limit - count), resetSeconds: countSecondsUntil(endsAt) };
}

/** @throws Refusal rate_limited once this process has counted as many events as the limit allows */
export function assertBelowLimit(ctx: WindowContext, limit: WindowLimit, key: string): void {
  const { count, endsAt } = windowFor(ctx, limit, key);
  if (count < limit.limit) return;
  throw refuse(limit, countSecondsUntil(endsAt)).with({ rate: readWindow(ctx, limit, key) });
}

type SharedContext = WindowContext & Pick<Context, 'redis'>;

/**
 * Counts an attempt in Redis, in a window that all processes share. While Redis is unreachable, each process counts on
 * its own. Call this before the attempt. Otherwise a thousand simultaneous attempts could all be checked against the
 * same count.
 * @throws Refusal rate_limited
 */
export async function countShared(ctx: SharedContext, limit: WindowLimit, key: string): Promise<void> {
  const reply = await ctx.redis.eval(COUNT, 1, key, limit.limit, limit.windowSeconds).catch(() => null);
  if (reply === null) {
    assertBelowLimit(ctx, limit, key);
    countInProcess(ctx, limit, key);
  } else if (Number(reply) > 0) throw refuse(limit, Number(reply));
}

/** Undoes the count of an attempt that should not count after all, such as a login that did not fail. */
export async function uncountShared(ctx: SharedContext, limit: WindowLimit, key: string): Promise<void> {
  await ctx.redis.eval(UNCOUNT, 1, key).catch(() => {
    const window = windowFor(ctx, limit, key);
    window.count = Math.max(0, window.count - 1);
  });
}

export async function clearShared(ctx: SharedContext, limit: WindowLimit, key: string): Promise<void> {
  await ctx.redis.del(key).catch(() => clearInProcess(ctx, limit, key));
}

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

function refuse({ limit, windowSeconds, what }: WindowLimit, retryAfterSeconds: number): Refusal {
  const text = `${formatCount(limit)} ${what} in ${formatWindow(windowSeconds)}`;
  return new Refusal('rate_limited', { limit: text, retryAfterSeconds });
}

const MINUTE = 60;
const HOUR = 3_600;

/** The window in whole hours or minutes if possible, such as "15 minutes". One minute stays "60 seconds". */
export function formatWindow(seconds: number): string {
  if (seconds % HOUR === 0) return formatCountOf(seconds / HOUR, 'hour');
  if (seconds > MINUTE && seconds % MINUTE === 0) return formatCountOf(seconds / MINUTE, 'minute');
  return formatCountOf(seconds, 'second');
}

function windowFor({ windows }: WindowContext, limit: WindowLimit, key: string): FixedWindow {
  const known = windows.fixed.get(limit);
  if (known) return known.windowFor(key);
  const opened = createFixedWindows(limit.windowSeconds * 1_000);
  windows.fixed.set(limit, opened);
  return opened.windowFor(key);
}

/**
 * Once there are this many keys, all counts are forgotten, which limits memory use. Attackers gain little from that: a
 * client with 100,000 IP addresses has 100,000 windows anyway.
 */
const MAX_COUNTED_KEYS = 100_000;

export type FixedWindow = { endsAt: number; count: number };

export type FixedWindows = ReturnType<typeof createFixedWindows>;

/** Keeps a count per key in fixed windows, in this process only. A window begins with the first use of its key. */
export function createFixedWindows(windowMs: number) {
  let windows = new Map<string, FixedWindow>();
  return {
    windowFor(key: string): FixedWindow {
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
export function countSecondsUntil(time: number): number {
  return Math.max(1, Math.ceil((time - Date.now()) / 1_000));
}
