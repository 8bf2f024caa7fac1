import { Redis } from 'ioredis';
import type { Log } from '../logging/log.js';
import { readRedisHealth } from './health.js';

const COMMAND_TIMEOUT_MS = 300;

/**
 * For commands that somebody waits for, it fails fast: none is ever queued while Redis is away, and none
 * sent twice (ioredis re-sends by default, which would run a script a second time).
 */
export function connectRedis(url: string, log: Log): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: 1_000,
    retryStrategy: (times) => Math.min(times * 100, 1_000),
  });
  logOutages(redis, log);
  redis.on('ready', () => void warnOfEviction(redis, log));
  return redis;
}

/** BullMQ's consumer blocks on its connection and waits for Redis to come back. */
export function connectBlockingRedis(url: string, log: Log): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    connectTimeout: 1_000,
    retryStrategy: (times) => Math.min(times * 100, 1_000),
  });
  logOutages(redis, log);
  return redis;
}

/** What Redis threw away would be looked up in Postgres again or found by the sweep; but nobody wants to run so. */
async function warnOfEviction(redis: Redis, log: Log): Promise<void> {
  const { evicts } = await readRedisHealth(redis);
  if (evicts) log.warn({ set: 'maxmemory-policy noeviction' }, 'redis_may_evict');
}

/** One line when Redis goes and one when it is back, however often the client retries between. */
function logOutages(redis: Redis, log: Log): void {
  let away = false;
  redis.on('error', (error) => {
    if (!away) log.warn({ error }, 'redis_unreachable');
    away = true;
  });
  redis.on('ready', () => {
    if (away) log.info({}, 'redis_back');
    away = false;
  });
}
