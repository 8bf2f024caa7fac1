export { ensureBrowser } from './browser.js';
export { type Child, readLastLogLines, startChild, stopChild, waitUntilReady } from './child-process.js';
export { findMemoryFolder, nodeArgs } from './machine-resources.js';
export { findFreePort, startOnFreePort } from './ports.js';
export { type Postgres, type PostgresOptions, startPostgres } from './postgres.js';
export { ensureRedis, type RedisOptions, type RedisServer, startRedis } from './redis.js';
export { readOrCreateSecret } from './server.js';
export { findRunningProcess } from './stale-process.js';
export { dieWithParent } from './unprivileged.js';
