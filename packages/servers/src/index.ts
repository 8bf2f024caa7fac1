export { type Child, lastWords, startChild, stopChild, waitUntilReady } from './child-process.js';
export { ensureBrowser } from './install-browser.js';
export { ensureRedis } from './install-redis.js';
export { keptSecret } from './kept-secret.js';
export { freePort, startOnFreePort } from './ports.js';
export { type Postgres, type PostgresOptions, startPostgres } from './postgres.js';
export { type RedisOptions, type RedisServer, startRedis } from './redis.js';
export { dieWithParent } from './setpriv.js';
export { runningProcess } from './stale-process.js';
