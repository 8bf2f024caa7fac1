import { Redis } from 'ioredis';
import type { Log } from '../logging/log.js';
import { readRedisHealth } from './health.js';

const COMMAND_TIMEOUT_MS = 300;

/**
 * A connection whose commands fail fast, because requests wait for them. Commands are not queued while Redis is
 * unreachable, and none is sent twice. By default, ioredis would resend commands, which could run a script a second
 * time.
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

/**
 * A connection for blocking commands and subscriptions, which wait for Redis to come back. Subscribe on each `ready`:
 * if the client subscribed again by itself and Redis refused, the unhandled rejection would end the process.
 */
export function connectBlockingRedis(url: string, log: Log): Redis {
  const redis = new Redis(url, {
    autoResubscribe: false,
    maxRetriesPerRequest: null,
    connectTimeout: 1_000,
    retryStrategy: (times) => Math.min(times * 100, 1_000),
  });
  logOutages(redis, log);
  return redis;
}

/** The service keeps working if keys are evicted, because Postgres has every record, but it becomes slower. */
async function warnOfEviction(redis: Redis, log: Log): Promise<void> {
  const { evicts } = await readRedisHealth(redis);
  if (evicts) log.warn({ set: 'maxmemory-policy noeviction' }, 'redis_may_evict');
}

/** Logs one line when Redis becomes unreachable and one when it is back, however often the client retries. */
function logOutages(redis: Redis, log: Log): void {
  let isReachable = true;
  redis.on('error', (error) => {
    if (isReachable) log.warn({ error }, 'redis_unreachable');
    isReachable = false;
  });
  redis.on('ready', () => {
    if (!isReachable) log.info({}, 'redis_back');
    isReachable = true;
  });
}
