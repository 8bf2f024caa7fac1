import type { Context } from '@posthorn/platform';
import type { Periods } from './usage.js';
import { listUsageDays, readUsed } from './usage-store.js';

type CounterContext = Pick<Context, 'incarnation' | 'redis'>;

/**
 * How long a copy of a usage row lives. Reading the row from Postgres again releases sends that a crash left reserved.
 */
const COUNTER_SECONDS = 60;

/**
 * The key of a counter in Redis. The braces mark a hash tag: in a Redis Cluster, all keys of one workspace share a slot,
 * so that one script may use them.
 */
export function buildUsageKey(
  { incarnation }: Pick<Context, 'incarnation'>,
  workspaceId: string,
  period: string,
): string {
  return incarnation.key(`{${workspaceId}}:usage:${period}`);
}

/** Copies a workspace's usage rows into Redis. @throws the original error if Postgres is unavailable */
export type LoadCounters = (workspaceId: string, periods: Periods) => Promise<void>;

/** Requests that find counters missing at the same time share one load. */
export function createCounterLoader(ctx: CounterContext & Pick<Context, 'db'>): LoadCounters {
  const loading = new Map<string, Promise<void>>();
  return (workspaceId, { month, day }) => {
    const name = buildUsageKey(ctx, workspaceId, day);
    const load = loading.get(name) ?? loadCounters(ctx, workspaceId, [month, day]).finally(() => loading.delete(name));
    loading.set(name, load);
    return load;
  };
}

/** NX does not overwrite a counter that another process has already loaded and incremented. */
async function loadCounters(
  ctx: CounterContext & Pick<Context, 'db'>,
  workspaceId: string,
  periods: readonly string[],
): Promise<void> {
  const used = await readUsed(ctx.db, workspaceId, periods);
  const pipeline = ctx.redis.pipeline();
  for (const period of periods) {
    const key = buildUsageKey(ctx, workspaceId, period);
    pipeline.set(key, used.get(period) ?? 0, 'EX', COUNTER_SECONDS, 'NX');
  }
  // If Redis fails here, the next admission check will notice.
  await pipeline.exec().catch(() => {});
}

/**
 * Deletes the counters that include these emails, after sends of theirs were refunded. If Postgres is unavailable, the
 * counters expire soon anyway.
 */
export async function forgetCountersOfEmails(
  ctx: CounterContext & Pick<Context, 'db'>,
  emailIds: readonly string[],
): Promise<void> {
  const days = await listUsageDays(ctx.db, emailIds).catch(() => []);
  for (const { workspaceId, usageDay } of days) forgetCounters(ctx, workspaceId, [usageDay.slice(0, 7), usageDay]);
}

/**
 * Deletes counters, so that the next admission check loads them again. If Redis is unreachable, the counters expire
 * soon anyway.
 */
export function forgetCounters(ctx: CounterContext, workspaceId: string, periods: readonly string[]): void {
  ctx.redis.del(...periods.map((period) => buildUsageKey(ctx, workspaceId, period))).catch(() => {});
}
