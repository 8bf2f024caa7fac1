import type { Knex } from 'knex';
import { ADVISORY_LOCKS } from '../advisory-locks.js';
import type { Db } from '../connect.js';

/**
 * Other statements on a table queue behind a change that waits for a lock on it. They give up after two seconds (see
 * session-settings.ts), so a migration gives up first.
 */
const LOCK_TIMEOUT_MS = 1_000;

/**
 * Runs a step of a migration. The transaction gives up soon when it has to wait for a lock. It takes a lock of its own,
 * because a process may not know yet that it has lost the guard.
 */
export function inMigrationTransaction<Result>(
  db: Db,
  work: (trx: Knex.Transaction) => Promise<Result>,
): Promise<Result> {
  return db.transaction(async (trx) => {
    await trx.raw(
      `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
       set local lock_timeout = ${LOCK_TIMEOUT_MS}; select pg_advisory_xact_lock(${ADVISORY_LOCKS.schema})`,
    );
    return work(trx);
  });
}
