import { setTimeout as sleep } from 'node:timers/promises';
import { isMigrated, migrateDatabase } from '@posthorn/domain/schema';
import type { Context } from '@posthorn/platform';
import { DirectConnectionError } from '@posthorn/platform/postgres';
import type { StartingStatus } from './starting-server.js';
import { mayBecomeReachable, RETRY_MS } from './when-reachable.js';

type StartingContext = Pick<Context, 'config' | 'db' | 'log'>;

/**
 * Resolves when the schema fits this version. Until then, the process migrates the database. With `MIGRATE_ON_START=off`,
 * and through a pooler that cannot build an index, it waits until `posthorn db migrate` has done so. It also waits while
 * Postgres is unreachable, because a process may start before its database does. Each wait is logged only once.
 * @param setStatus called with what it is waiting for
 * @throws SchemaError if the database does not fit this version and waiting would not change that
 * @throws PoolerError if a connection pooler is in the way that cannot be used
 */
export async function untilSchemaReady(
  ctx: StartingContext,
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

async function migrate({ config, log }: StartingContext): Promise<void> {
  const applied = await migrateDatabase(config.databaseUrl, {
    poolMode: config.databasePoolMode,
    onWait: (wait) => log.info(wait, 'migration_waits_for_lock'),
  });
  if (applied.length > 0) log.info({ applied }, 'database_migrated');
}
