import type { Knex } from 'knex';
import { alignEventPositions } from './align-event-positions.js';
import { connectDatabase } from './connect.js';
import { migrations } from './migrations/index.js';

/** An arbitrary constant. The process that holds this advisory lock may change the schema. */
const MIGRATION_LOCK = 7_673_784;

/**
 * Brings the schema up to date. Processes that start together wait for each other.
 * @returns the names of the migrations that it applied
 */
export async function migrateDatabase(databaseUrl: string): Promise<string[]> {
  // There is no time limit, because migrating, or waiting while another process migrates, may take a long time.
  const db = connectDatabase(databaseUrl, { poolSize: 1, silenceMs: 0 });
  try {
    return await db.transaction(applyPending);
  } finally {
    await db.destroy();
  }
}

async function applyPending(trx: Knex.Transaction): Promise<string[]> {
  await trx.raw('set local statement_timeout = 0; set local lock_timeout = 0');
  await trx.raw('select pg_advisory_xact_lock(?)', [MIGRATION_LOCK]);
  await trx.raw(
    'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())',
  );
  const applied = new Set<string>(await trx('migrations').pluck('name'));
  const pending = migrations.filter((migration) => !applied.has(migration.name));
  if (pending.length > 0) assertSameHistory(applied);
  for (const migration of pending) {
    await trx.raw(migration.sql);
    await trx('migrations').insert({ name: migration.name });
  }
  await alignEventPositions(trx);
  return pending.map((migration) => migration.name);
}

/** Releases only add migrations. A database that lacks some of ours but has unknown ones predates the first release. */
function assertSameHistory(applied: ReadonlySet<string>): void {
  const unknown = [...applied].filter((name) => !migrations.some((migration) => migration.name === name));
  if (unknown.length === 0) return;
  throw new Error(
    `The database has migrations that this version does not know: ${unknown.join(', ')}. Use an empty database, or the version that created this one.`,
  );
}
