import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Config,
  type Context,
  closeContext,
  createLog,
  type Log,
  openContext,
  readEnv,
  toConfig,
} from '@posthorn/domain';
import { returnRedisDatabase, takeRedisDatabase } from './redis-database.js';
import { serverAddresses } from './server-addresses.js';
import { createTestDatabase, dropTestDatabase } from './test-database.js';

const LEAK_PATIENCE_MS = 1_000;
const POLL_MS = 20;

/** What a test may replace. An address given here is used as it is, and left alone at the end. */
export type TestContextOptions = { readonly config?: Partial<Config>; readonly now?: () => Date; readonly log?: Log };

/** A context with a migrated Postgres database and an empty Redis database of its own. */
export async function openTestContext({
  config = {},
  now,
  log = createLog('test', 'silent'),
}: TestContextOptions = {}): Promise<Context> {
  const env = readEnv({
    DATABASE_URL: config.databaseUrl ?? (await createTestDatabase()),
    REDIS_URL: config.redisUrl ?? (await takeRedisDatabase()),
    SECRET_KEY: 'a secret that is only good for tests',
    PUBLIC_URL: 'http://localhost:3000',
    PORT: '0',
    // Nobody listens there: no test asks the world's DNS.
    DNS_SERVERS: '127.0.0.1:1',
  });
  const ctx = openContext({ ...toConfig(env, 'api'), ...config }, 'test', { log, ...(now && { now }) });
  // The client refuses commands until it is connected, as the API wants it.
  if (config.redisUrl === undefined) await once(ctx.redis, 'ready');
  return ctx;
}

/**
 * Closes the context and removes its databases.
 * @param close closes what else was opened with this context
 * @throws Error when something still holds a connection: a transaction without an end, a queue or
 *   worker that was not closed
 */
export async function closeTestContext<Ctx extends Context>(
  ctx: Ctx,
  close: (ctx: Ctx) => Promise<void> = closeContext,
): Promise<void> {
  const leaks = await heldConnections(ctx);
  const closing = close(ctx);
  // knex waits without end for a connection that nobody gives back; dropping the database cuts it
  if (leaks.length === 0) await closing;
  const { postgresUrl, redisUrl } = serverAddresses();
  const { databaseUrl, redisUrl: redisDatabaseUrl } = ctx.config;
  if (sameServer(databaseUrl, postgresUrl)) leaks.push(...(await dropTestDatabase(databaseUrl)));
  if (sameServer(redisDatabaseUrl, redisUrl)) leaks.push(...(await returnRedisDatabase(redisDatabaseUrl)));
  if (leaks.length > 0) throw new Error(`The test left ${leaks.length} connection(s) open:\n${leaks.join('\n')}`);
}

/** Work that a request left to run on its own may need a moment to give its connection back. */
async function heldConnections(ctx: Context): Promise<string[]> {
  const deadline = Date.now() + LEAK_PATIENCE_MS;
  const { pool } = ctx.db.client;
  while (pool?.numUsed() > 0 && Date.now() < deadline) await sleep(POLL_MS);
  return Array.from({ length: pool?.numUsed() ?? 0 }, () => 'a connection of ctx.db that was never given back');
}

function sameServer(url: string, serverUrl: string): boolean {
  return new URL(url).host === new URL(serverUrl).host;
}
