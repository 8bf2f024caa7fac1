import { once } from 'node:events';
import { type Context, closeContext, openContext } from '@posthorn/platform';
import { type Config, readEnv, toConfig } from '@posthorn/platform/config';
import { createLog, type Log } from '@posthorn/platform/logs';
import { parseUrl } from '@posthorn/platform/network';
import { countOpening } from './file-times.js';
import { acquireRedisDatabase, releaseRedisDatabase } from './redis-database.js';
import { createTestDatabase, dropTestDatabase, getSharedDatabase, isSharedDatabase } from './test-database.js';
import { getServerAddresses, TEST_SECRET_KEY } from './test-run.js';
import { untilNone } from './until.js';

/** What a test can replace. A database or Redis server that the test provides is not cleaned up at the end. */
export type TestContextOptions = {
  readonly config?: Partial<Config>;
  readonly now?: () => Date;
  readonly log?: Log;
  /** Why the test cannot share a database with tests before it, for example because it counts the rows of all tenants. */
  readonly ownDatabase?: string;
};

/**
 * Opens a context with an empty Redis database, and with the worker's Postgres database, where other tests have left
 * their workspaces.
 */
export function openTestContext(options: TestContextOptions = {}): Promise<Context> {
  return countOpening(() => openContextWith(options));
}

async function openContextWith({
  config = {},
  now,
  log = createLog('test', 'silent'),
  ownDatabase,
}: TestContextOptions): Promise<Context> {
  const openDatabase = ownDatabase === undefined ? getSharedDatabase : createTestDatabase;
  const env = readEnv({
    DATABASE_URL: config.databaseUrl ?? (await openDatabase()),
    REDIS_URL: config.redisUrl ?? (await acquireRedisDatabase()),
    SECRET_KEY: TEST_SECRET_KEY,
    PUBLIC_URL: 'http://localhost:3000',
    PORT: '0',
    // No server listens at this address, so tests never use public DNS.
    DNS_SERVERS: '127.0.0.1:1',
  });
  const ctx = openContext({ ...toConfig(env, 'api'), ...config }, 'test', { log, ...(now && { now }) });
  // The client rejects commands until it is connected.
  if (config.redisUrl === undefined) await once(ctx.redis, 'ready');
  // The database that a test provides may not be reachable.
  if (config.databaseUrl === undefined) await ctx.incarnation.read();
  return ctx;
}

/**
 * Closes the context and removes its databases.
 * @param close closes the context and everything else that was opened with it
 * @throws Error if a connection is still open, for example because of an open transaction or a queue or
 *   worker that was not closed
 */
export function closeTestContext<Ctx extends Context>(
  ctx: Ctx,
  close: (ctx: Ctx) => Promise<void> = closeContext,
): Promise<void> {
  return countOpening(async () => {
    const leaks = await untilNone(() => listHeldConnections(ctx));
    const closing = close(ctx);
    // knex would wait forever for a connection that was not returned. Dropping the database closes that connection.
    if (leaks.length === 0) await closing;
    leaks.push(...(await releaseDatabases(ctx.config)));
    if (leaks.length > 0) throw new Error(`The test left ${leaks.length} connection(s) open:\n${leaks.join('\n')}`);
  });
}

/** For a context that stays open. @throws Error if a connection is in use, for example because of an open transaction */
export async function expectNoHeldConnections(ctx: Pick<Context, 'db'>): Promise<void> {
  const leaks = await untilNone(() => listHeldConnections(ctx));
  if (leaks.length > 0) throw new Error(leaks.join('\n'));
}

async function releaseDatabases({ databaseUrl, redisUrl }: Config): Promise<string[]> {
  const servers = getServerAddresses();
  const leaks: string[] = [];
  // The connections to the shared database are counted at the end of the file.
  if (isSameServer(databaseUrl, servers.postgresUrl) && !isSharedDatabase(databaseUrl))
    leaks.push(...(await dropTestDatabase(databaseUrl)));
  if (isSameServer(redisUrl, servers.redisUrl)) leaks.push(...(await releaseRedisDatabase(redisUrl)));
  return leaks;
}

/** Connections that are in use, for example by a request's background work. */
function listHeldConnections(ctx: Pick<Context, 'db'>): string[] {
  const { pool } = ctx.db.client;
  return Array.from({ length: pool?.numUsed() ?? 0 }, () => 'a connection of ctx.db that was not returned');
}

function isSameServer(url: string, serverUrl: string): boolean {
  // A test's own URL may name several hosts, which `URL` does not accept.
  return parseUrl(url)?.host === new URL(serverUrl).host;
}
