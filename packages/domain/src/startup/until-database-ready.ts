import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareIfCopied } from '@posthorn/domain/restores';
import { isMigrated, migrateDatabase } from '@posthorn/domain/schema';
import type { Context } from '@posthorn/platform';
import { DirectConnectionError, isUnavailable, isWrongLogin, PoolerError } from '@posthorn/platform/postgres';

/** Most starts are done sooner. */
const START_ANSWERING_AFTER_MS = 250;

type StartingContext = Pick<Context, 'config' | 'db' | 'incarnation' | 'log'>;

/**
 * Waits until the process can use the database: until the schema fits this version, and until the emails of a restored
 * database are parked. Health checks are answered in the meantime.
 * @param ports where to answer health checks. Null and 0 are left out
 * @param restart called if the database is restored later
 * @throws SchemaError, PoolerError as `untilSchemaReady`
 */
export async function untilDatabaseReady(
  ctx: StartingContext,
  { ports = [], restart }: { ports?: ReadonlyArray<number | null>; restart: (reason: string) => void },
): Promise<void> {
  let status: StartingStatus = 'waiting_for_database';
  const setStatus = (next: StartingStatus) => {
    status = next;
  };
  await answerHealthChecksWhile(ctx, { ports, readStatus: () => status }, async () => {
    await untilSchemaReady(ctx, setStatus);
    setStatus('preparing');
    await readAndWatchIncarnation(ctx, restart);
  });
}

type HealthChecks = { readonly ports: ReadonlyArray<number | null>; readonly readStatus: () => StartingStatus };

async function answerHealthChecksWhile(
  { config: { host } }: StartingContext,
  { ports, readStatus }: HealthChecks,
  work: () => Promise<void>,
): Promise<void> {
  const done = work();
  const isQuick = await Promise.race([done.then(() => true), sleep(START_ANSWERING_AFTER_MS, false, { ref: false })]);
  if (isQuick) return;
  const used = ports.flatMap((port) => (port ? [port] : []));
  const servers = await Promise.all(used.map((port) => openStartingServer({ host, port }, readStatus)));
  try {
    await done;
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
}

/**
 * Resolves when the schema fits this version. Until then, the process migrates the database. With `MIGRATE_ON_START=off`,
 * and through a pooler that cannot build an index, it waits until `posthorn db migrate` has done so. It also waits while
 * Postgres is unreachable, because a process may start before its database does. Each wait is logged only once.
 * @param setStatus called with what it is waiting for
 * @throws SchemaError if the database does not fit this version and waiting would not change that
 * @throws PoolerError if a connection pooler is in the way that cannot be used
 */
export async function untilSchemaReady(
  ctx: Pick<Context, 'config' | 'db' | 'log'>,
  setStatus: (status: StartingStatus) => void = () => {},
): Promise<void> {
  const announced = new Set<string>();
  const announce = (status: StartingStatus, facts: object) => {
    setStatus(status);
    if (!announced.has(status)) ctx.log.warn(facts, status);
    announced.add(status);
  };
  let mayMigrate = ctx.config.migrateOnStart;
  for (;;) {
    try {
      if (await isMigrated(ctx.db)) return;
      if (mayMigrate) {
        setStatus('migrating');
        return await migrate(ctx);
      }
      announce('waiting_for_migration', {});
    } catch (error) {
      announce(statusAfter(error), { error });
      if (error instanceof DirectConnectionError) mayMigrate = false;
    }
    await sleep(RETRY_MS);
  }
}

/**
 * @returns what the process waits for after this error
 * @throws the error if waiting does not help
 */
function statusAfter(error: unknown): StartingStatus {
  if (error instanceof DirectConnectionError) return 'waiting_for_migration';
  if (!mayBecomeReachable(error)) throw error;
  return 'waiting_for_database';
}

async function migrate({ config, log }: Pick<Context, 'config' | 'log'>): Promise<void> {
  const applied = await migrateDatabase(config.databaseUrl, {
    poolMode: config.databasePoolMode,
    onWait: (wait) => log.info(wait, 'migration_waits_for_lock'),
  });
  if (applied.length > 0) log.info({ applied }, 'database_migrated');
}

/** How long a process can go on after a restore that happened while it was running. */
const CHECK_MS = 2_000;

/**
 * Reads the incarnation of the database when a process starts. If the database is a copy, for example from a dump, this
 * first does what `posthorn restore prepare` does. From then on, it looks whether the incarnation changes.
 * @param restart called if it has changed, because what the process has in memory may then be wrong
 */
export async function readAndWatchIncarnation(
  ctx: Pick<Context, 'config' | 'db' | 'incarnation' | 'log'>,
  restart: (reason: string) => void,
): Promise<void> {
  const prepared = await whenReachable(ctx, () => prepareIfCopied(ctx));
  if (prepared) ctx.log.error(prepared, 'database_is_a_copy');
  await whenReachable(ctx, ctx.incarnation.read);
  const timer = setInterval(async () => {
    // While Postgres cannot be read, the process cannot change anything either.
    if (!(await ctx.incarnation.hasChanged().catch(() => false))) return;
    clearInterval(timer);
    restart('database_was_restored');
  }, CHECK_MS).unref();
}

/** How long a starting process waits between two tries. */
export const RETRY_MS = 1_000;

/**
 * Repeats the work while Postgres is unavailable, because a process may start before its database does. It logs the wait
 * only once.
 * @throws PoolerError if a connection pooler is in the way that cannot be used; every other error
 */
async function whenReachable<T>({ log }: Pick<Context, 'log'>, work: () => Promise<T>): Promise<T> {
  for (let announced = false; ; announced = true) {
    try {
      return await work();
    } catch (error) {
      if (!mayBecomeReachable(error)) throw error;
      if (!announced) log.warn({ error }, 'waiting_for_database');
      await sleep(RETRY_MS);
    }
  }
}

/** Whether waiting for Postgres may help after this error. */
function mayBecomeReachable(error: unknown): boolean {
  return isUnavailable(error) && !isWrongLogin(error) && !(error instanceof PoolerError);
}

/** Why a process does not serve yet. `preparing`: it finds out whether the database was restored, and parks emails if so. */
type StartingStatus = 'waiting_for_database' | 'migrating' | 'waiting_for_migration' | 'preparing';

type StartingServer = { close(): Promise<void> };

/**
 * Answers the health checks of a process that is still waiting: it is alive, but not ready. Every other request gets a 503.
 * Without it, a supervisor that checks /healthz would kill a process that is migrating.
 */
async function openStartingServer(
  { host, port }: { readonly host: string; readonly port: number },
  readStatus: () => StartingStatus,
): Promise<StartingServer> {
  const server = createServer((request, response) => {
    const isAlive = request.url?.split('?')[0] === '/healthz';
    const body = JSON.stringify({ status: isAlive ? 'ok' : readStatus() });
    // The connection must not outlive this server, because the next one listens on the same port.
    response
      .writeHead(isAlive ? 200 : 503, { 'Content-Type': 'application/json', 'Retry-After': '5', Connection: 'close' })
      .end(body);
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      await closed;
    },
  };
}
