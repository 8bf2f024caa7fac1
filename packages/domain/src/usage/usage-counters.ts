import type { Redis } from 'ioredis';
import type { Context } from '../context.js';
import { keys } from '../redis/keys.js';
import type { Periods } from './periods.js';
import { readUsed } from './usage-store.js';

/**
 * The gate's counters in Redis are copies: they live this long and are then read again from the
 * ledger, so what a crash left reserved comes free without anybody keeping books.
 */
const COUNTER_SECONDS = 60;

/** Loads the counters of a workspace's periods. @throws unavailable errors of Postgres as they are */
export type LoadCounters = (workspaceId: string, periods: Periods) => Promise<void>;

/** Whoever finds counters missing while they are being loaded waits for the same load. */
export function counterLoader(ctx: Pick<Context, 'db' | 'redis'>): LoadCounters {
  const underWay = new Map<string, Promise<void>>();
  return (workspaceId, { month, day }) => {
    const name = keys.usage(workspaceId, day);
    const load =
      underWay.get(name) ?? loadCounters(ctx, workspaceId, [month, day]).finally(() => underWay.delete(name));
    underWay.set(name, load);
    return load;
  };
}

/** NX: a counter that another process has loaded and moved on meanwhile stays. */
async function loadCounters(
  ctx: Pick<Context, 'db' | 'redis'>,
  workspaceId: string,
  periods: readonly string[],
): Promise<void> {
  const used = await readUsed(ctx.db, workspaceId, periods);
  const pipeline = ctx.redis.pipeline();
  for (const period of periods) {
    pipeline.set(keys.usage(workspaceId, period), used.get(period) ?? 0, 'EX', COUNTER_SECONDS, 'NX');
  }
  // What Redis makes of it, the next call of the gate will tell.
  await pipeline.exec().catch(() => {});
}

/** The next gate call reads them again. Redis may be away: then they are gone anyway, or soon. */
export function forgetCounters(redis: Redis, workspaceId: string, periods: readonly string[]): void {
  redis.del(...periods.map((period) => keys.usage(workspaceId, period))).catch(() => {});
}
