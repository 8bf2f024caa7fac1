import type { Context } from '@posthorn/platform';
import { cachedRead } from '@posthorn/platform/batching';
import { checkWritable, type Writability } from '@posthorn/platform/postgres';
import { type RedisHealth, readRedisHealth } from '@posthorn/platform/redis';

export type Health = { readonly postgres: { readonly state: Writability }; readonly redis: RedisHealth };

/** Reads the health of the servers, at most once a second, however often it is called. */
export type CheckHealth = () => Promise<Health>;

const CACHED_MS = 1_000;

export function healthChecker(ctx: Pick<Context, 'db' | 'redis'>): CheckHealth {
  return cachedRead(async () => {
    const [state, redis] = await Promise.all([checkWritable(ctx.db), readRedisHealth(ctx.redis)]);
    return { postgres: { state }, redis };
  }, CACHED_MS);
}
