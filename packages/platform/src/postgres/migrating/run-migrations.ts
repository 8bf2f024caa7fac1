import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { connectDatabase, type Db } from '../connect.js';
import { buildIndex, createIndexSql } from './build-indexes.js';
import type { Migration } from './migration.js';
import { type MigrationGuard, underMigrationGuard } from './migration-guard.js';
import { inMigrationTransaction } from './migration-transaction.js';
import { type OnLockWait, retryOnLocks } from './retry-on-locks.js';
import { runBackfill } from './run-backfill.js';
import type { Schema } from './schema.js';
import { isSchemaReady, pendingMigrations, readAppliedMigrations, requirementOf } from './schema-state.js';
import type { Step } from './step.js';

const CLOSE_MS = 1_000;

export type MigrateOptions = {
  /** Is told about every wait for a lock, and once about a wait for another process that migrates. */
  readonly onWait?: OnLockWait;
};

type Run = { readonly db: Db; readonly schema: Schema; readonly onWait: OnLockWait };

/**
 * Brings the schema up to date. Processes that start together wait for each other.
 * @returns the names of the migrations that it applied
 * @throws SchemaError if the database does not fit this version and no migration can change that; DirectConnectionError
 *   if a migration cannot run through the connection pooler
 */
export async function runMigrations(
  databaseUrl: string,
  schema: Schema,
  { onWait = () => {} }: MigrateOptions = {},
): Promise<string[]> {
  // A migration may be silent for hours.
  const db = connectDatabase(databaseUrl, { poolSize: 1, silenceMs: 0 });
  const run = { db, schema, onWait };
  try {
    if (await isUpToDate(db, schema)) return [];
    return await underMigrationGuard(databaseUrl, onWait, (guard) => applyPending(run, guard));
  } finally {
    // If the server has vanished, a statement may wait for it forever.
    await Promise.race([db.destroy(), sleep(CLOSE_MS, undefined, { ref: false })]);
  }
}

/**
 * Whether there is nothing to migrate.
 * @throws SchemaError like `runMigrations`
 */
export async function isUpToDate(db: Db, schema: Schema): Promise<boolean> {
  return db.transaction(async (trx) => {
    await trx.raw('set local statement_timeout = 0');
    return isSchemaReady(trx, schema);
  });
}

async function applyPending(run: Run, guard: MigrationGuard): Promise<string[]> {
  const { db, schema, onWait } = run;
  const inTransaction = (what: string, work: (trx: Knex.Transaction) => Promise<unknown>) =>
    retryOnLocks(what, onWait, () => inMigrationTransaction(db, work));
  await inTransaction('the table of migrations', createTables);
  const applied = (await readAppliedMigrations(db)) ?? [];
  const pending = pendingMigrations(applied, schema.migrations);
  if (applied.length === 0) await inTransaction('a new database', (trx) => applyToEmptyDatabase(trx, pending));
  else for (const migration of pending) await apply(run, guard, migration);
  await inTransaction('what depends on the server', schema.align);
  return pending.map(({ name }) => name);
}

async function createTables(trx: Knex.Transaction): Promise<void> {
  await trx.raw(`
    create table if not exists migrations (
      name text primary key, applied_at timestamptz not null default now(), requires text
    );
    create table if not exists migration_progress (name text primary key, position text not null);
  `);
}

/** Applies everything at once, which is fast. There are no rows to change, and nothing else uses the tables. */
export async function applyToEmptyDatabase(trx: Knex.Transaction, migrations: readonly Migration[]): Promise<void> {
  for (const { sql, indexes = [] } of migrations) {
    for (const statements of sql ? [sql] : indexes.map(createIndexSql)) await trx.raw(statements);
  }
  await trx('migrations').insert(migrations.map(toRow));
}

async function apply({ db, onWait }: Run, { assertHeld }: MigrationGuard, migration: Migration): Promise<void> {
  const step: Step = { db, migration: migration.name, onWait, assertHeld };
  assertHeld();
  for (const index of migration.indexes ?? []) await buildIndex(step, index);
  if (migration.backfill) await runBackfill(step, migration.backfill);
  await retryOnLocks(migration.name, onWait, () =>
    inMigrationTransaction(db, async (trx) => {
      await finish(trx, migration);
      // If the guard was lost during a wait for a lock, `runMigrations` has failed already. Then nothing is committed.
      assertHeld();
    }),
  );
}

/** Another process may have applied the migration, if this one has lost its guard without knowing. */
async function finish(trx: Knex.Transaction, migration: Migration): Promise<void> {
  if (await trx('migrations').where({ name: migration.name }).first('name')) return;
  if (migration.sql !== undefined) await trx.raw(migration.sql);
  await trx('migration_progress').where({ name: migration.name }).delete();
  await trx('migrations').insert(toRow(migration));
}

function toRow(migration: Migration): { name: string; requires: string | null } {
  return { name: migration.name, requires: requirementOf(migration) };
}
