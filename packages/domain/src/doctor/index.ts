export { checkDkimKeys, checkPlatformDomain } from './check-dns-and-dkim.js';
export {
  compareSchema,
  findPartitionEnd,
  measurePostgresClockOffset,
  measureRedisClockOffset,
  type PostgresFacts,
  type RedisFacts,
  readPostgresFacts,
  readRedisFacts,
} from './server-facts-store.js';
