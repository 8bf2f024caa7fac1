export { ensureBrowser } from './browser.js';
export { type Child, nodeArgs, readLastLogLines, startChild, stopChild, waitUntilReady } from './child-process.js';
export { findMemoryFolder } from './memory-folder.js';
export { findFreePort, startOnFreePort } from './ports.js';
export { type Postgres, type PostgresOptions, startPostgres } from './postgres.js';
export { ensureRedis, type RedisOptions, type RedisServer, startRedis } from './redis.js';
export { readOrCreateSecret } from './server.js';
export { findRunningProcess } from './stale-process.js';
export { dieWithParent } from './unprivileged.js';
