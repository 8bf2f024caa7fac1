import type { Knex } from 'knex';
import { connectDatabase } from './connect.js';
import { migrations } from './migrations/index.js';

/** Any fixed number: whoever holds this advisory lock may change the schema. */
const MIGRATION_LOCK = 7_673_784;

/**
 * Brings the schema up to date. Processes that start together wait for each other.
 * @returns names of the migrations that were applied now
 */
export async function migrateDatabase(databaseUrl: string): Promise<string[]> {
  // A migration, and waiting for another process' migration, may take as long as it takes.
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
  const applied = new Set((await trx('migrations').select('name')).map((row) => row.name));
  const pending = migrations.filter((migration) => !applied.has(migration.name));
  for (const migration of pending) {
    await trx.raw(migration.sql);
    await trx('migrations').insert({ name: migration.name });
  }
  return pending.map((migration) => migration.name);
}
