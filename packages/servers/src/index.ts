export { type Child, lastLogLines, startChild, stopChild, waitUntilReady } from './child-process.js';
export { ensureBrowser } from './ensure-browser.js';
export { ensureRedis } from './ensure-redis.js';
export { freePort, startOnFreePort } from './ports.js';
export { type Postgres, type PostgresOptions, startPostgres } from './postgres.js';
export { readOrCreateSecret } from './read-or-create-secret.js';
export { type RedisOptions, type RedisServer, startRedis } from './redis.js';
export { dieWithParent } from './setpriv.js';
export { findRunningProcess } from './stale-process.js';
