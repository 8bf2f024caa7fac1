import { setTimeout as sleep } from 'node:timers/promises';
import { computePause } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import { ADVISORY_LOCKS } from '../advisory-locks.js';
import type { Db } from '../connect.js';
import { findSqlState, isLockTimeout, sqlStates } from '../errors.js';

/**
 * Other statements on a table queue behind a change that waits for a lock on it. They give up after two seconds (see
 * session.ts), so a migration gives up first.
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

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

/**
 * A migration that has to wait, because another transaction holds a lock that it needs; null if another process is
 * migrating.
 */
type LockWait = { readonly migration: string | null; readonly tries: number; readonly pauseMs: number };

export type OnLockWait = (wait: LockWait) => void;

/**
 * Repeats a step that could not get a lock, for as long as it takes. The pauses grow, because other statements queue
 * behind every try. Half of each pause is random, so that the tries do not always meet the same periodic lock.
 */
export async function retryOnLocks<Result>(
  migration: string,
  onWait: OnLockWait,
  step: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await step();
    } catch (error) {
      if (!isLocked(error)) throw error;
    }
    const longest = computePause(tries, { first: FIRST_PAUSE_MS, max: MAX_PAUSE_MS });
    const pauseMs = Math.round((longest * (1 + Math.random())) / 2);
    onWait({ migration, tries, pauseMs });
    await sleep(pauseMs);
  }
}

function isLocked(error: unknown): boolean {
  return isLockTimeout(error) || findSqlState(error) === sqlStates.deadlockDetected;
}
