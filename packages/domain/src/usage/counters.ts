import type { Redis } from 'ioredis';
import type { Context } from '../context.js';
import { keys } from '../redis/keys.js';
import { readUsed } from './usage-store.js';

/**
 * The gate's counters in Redis are copies: they live this long and are then read again from the
 * ledger, so what a crash left reserved comes free without anybody keeping books.
 */
const COUNTER_SECONDS = 60;

/** NX: a counter that another process has loaded and moved on meanwhile stays. */
export async function loadCounters(
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
