export { connectBlockingRedis, connectRedis } from './connect.js';
export { findRedisFault } from './find-redis-fault.js';
export { infoField, isCluster, type RedisClient, type RedisHealth, readRedisHealth } from './health.js';
export {
  type Incarnation,
  type IncarnationFound,
  lockIncarnation,
  openIncarnation,
  readIncarnation,
  renewIncarnation,
  storeDatabaseName,
} from './incarnation-store.js';
export { buildIncarnationKeys, EVENTS_CHANNEL, type IncarnationKeys, keys, lifetimes, QUEUE_PREFIX } from './keys.js';
