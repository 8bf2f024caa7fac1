import type { Knex } from 'knex';
import type { Db } from '../connect.js';

/**
 * An arbitrary constant. The transaction that holds this advisory lock may change the schema. The guard excludes other
 * processes too, but a process may not know yet that it has lost it.
 */
const SCHEMA_LOCK = 7_673_784;

/**
 * Other statements on a table queue behind a change that waits for a lock on it. They give up after two seconds (see
 * session-settings.ts), so a migration gives up first.
 */
const LOCK_TIMEOUT_MS = 1_000;

/** Runs a step of a migration. The transaction gives up soon when it has to wait for a lock. */
export function inMigrationTransaction<Result>(
  db: Db,
  work: (trx: Knex.Transaction) => Promise<Result>,
): Promise<Result> {
  return db.transaction(async (trx) => {
    await trx.raw(
      `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
       set local lock_timeout = ${LOCK_TIMEOUT_MS}; select pg_advisory_xact_lock(${SCHEMA_LOCK})`,
    );
    return work(trx);
  });
}
