export { checkDkimKeys, checkPlatformDomain } from './check-dns-and-dkim.js';
export {
  clockOffsetOfPostgres,
  clockOffsetOfRedis,
  compareSchema,
  findPartitionEnd,
  type PostgresFacts,
  type RedisFacts,
  readPostgresFacts,
  readRedisFacts,
} from './server-facts-store.js';
