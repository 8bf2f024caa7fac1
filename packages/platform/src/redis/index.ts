export { connectBlockingRedis, connectRedis } from './connect.js';
export { findRedisFault } from './find-redis-fault.js';
export { findInfoField, isCluster, type RedisClient, type RedisHealth, readRedisHealth } from './health.js';
