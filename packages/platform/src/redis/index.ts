export { isCluster, type RedisClient } from './client.js';
export { connectBlockingRedis, connectRedis } from './connect.js';
export { findRedisFault } from './find-redis-fault.js';
export { type RedisHealth, readRedisHealth } from './health.js';
export { type Incarnation, openIncarnation } from './incarnation.js';
export {
  type IncarnationFound,
  lockIncarnation,
  readIncarnation,
  renewIncarnation,
  storeDatabaseName,
} from './incarnation-store.js';
export { infoField } from './info-field.js';
export { EVENTS_CHANNEL, type IncarnationKeys, keys, keysOfIncarnation, QUEUE_PREFIX } from './keys.js';
export { lifetimes } from './lifetimes.js';
