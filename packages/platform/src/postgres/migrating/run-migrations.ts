import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { connectDatabase, type Db } from '../connect.js';
import type { PoolMode } from '../session.js';
import { buildIndex, createIndexSql } from './build-indexes.js';
import { type Migration, type Schema, SchemaError, type Step } from './migration.js';
import { type MigrationGuard, underMigrationGuard } from './migration-guard.js';
import { inMigrationTransaction, type OnLockWait, retryOnLocks } from './migration-transaction.js';
import { runBackfill } from './run-backfill.js';

const CLOSE_MS = 1_000;

export type MigrateOptions = {
  /** Is told about every wait for a lock, and once about a wait for another process that migrates. */
  readonly onWait?: OnLockWait;
  readonly poolMode?: PoolMode;
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
  { onWait = () => {}, poolMode = 'session' }: MigrateOptions = {},
): Promise<string[]> {
  // A migration may be silent for hours.
  const db = connectDatabase(databaseUrl, { poolSize: 1, silenceMs: 0, poolMode });
  const run = { db, schema, onWait };
  try {
    if (await isUpToDate(db, schema)) return [];
    return await underMigrationGuard({ databaseUrl, poolMode }, onWait, (guard) => applyPending(run, guard));
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
async function applyToEmptyDatabase(trx: Knex.Transaction, migrations: readonly Migration[]): Promise<void> {
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
  return { name: migration.name, requires: findRequirement(migration) };
}

/** A migration that was applied, by this version or by another one. */
type AppliedMigration = {
  readonly name: string;
  /** The migration that a version must know to work with the schema from here on; null if every version can. */
  readonly requires: string | null;
};

/** The migrations that were applied, or null if there is no table of migrations yet. */
async function readAppliedMigrations(db: Knex): Promise<AppliedMigration[] | null> {
  const { rows: found } = await db.raw("select to_regclass('migrations') as found");
  if (found[0].found === null) return null;
  return db('migrations').select('name', 'requires').orderBy('name');
}

/** What a version must know to work with the schema after this migration. */
export function findRequirement({ name, kind, unusedSince }: Migration): string | null {
  return kind === 'expand' ? null : (unusedSince ?? name);
}

/**
 * The migrations that this version still has to apply. A database may be newer than this version, as long as newer
 * versions have only added to it: an old process can then restart during an upgrade.
 * @throws SchemaError if something was removed that this version uses, or if the database has another history
 */
function pendingMigrations(applied: readonly AppliedMigration[], migrations: readonly Migration[]): Migration[] {
  const known = new Set(migrations.map(({ name }) => name));
  assertNothingRemoved(applied, known);
  const names = new Set(applied.map(({ name }) => name));
  const pending = migrations.filter(({ name }) => !names.has(name));
  const unknown = [...names].filter((name) => !known.has(name));
  // Each release has the migrations of all earlier ones. So a database that lacks some of ours but has others was not
  // created by a release before or after this one.
  if (pending.length > 0 && unknown.length > 0)
    throw new SchemaError(
      `The database has migrations that this version does not know: ${unknown.join(', ')}. Use an empty database, or the version that created this one.`,
    );
  return pending;
}

function assertNothingRemoved(applied: readonly AppliedMigration[], known: ReadonlySet<string>): void {
  const removal = applied.find(({ requires }) => requires !== null && !known.has(requires));
  if (!removal) return;
  throw new SchemaError(
    `This version of Posthorn is too old for the database: migration ${removal.name} has removed something that this version uses. Start a version that knows migration ${removal.requires}.`,
  );
}

/**
 * Whether the database has everything that this version needs.
 * @throws SchemaError like `pendingMigrations`
 */
async function isSchemaReady(db: Knex, { migrations, isAligned }: Schema): Promise<boolean> {
  const applied = await readAppliedMigrations(db);
  if (applied === null || pendingMigrations(applied, migrations).length > 0) return false;
  return isAligned(db);
}
