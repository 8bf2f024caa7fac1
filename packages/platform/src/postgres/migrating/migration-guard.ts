import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { ADVISORY_LOCKS } from '../advisory-locks.js';
import { connectDatabase } from '../connect.js';
import type { PoolMode } from '../session.js';
import type { OnLockWait } from './migration-transaction.js';

const POLL_MS = 300;
/** Shorter than the silence after which a connection counts as dead. */
const HEARTBEAT_MS = 2_000;

export type MigrationGuard = {
  /** @throws Error if another process may hold the guard by now */
  assertHeld(): void;
};

/**
 * Runs `work` in one process at a time.
 *
 * The guard is an advisory lock of a transaction that stays open on its own connection. PgBouncer keeps such a connection
 * even in transaction mode, but not the lock of a session. Between its statements, the transaction has no snapshot, so no
 * other statement waits for it. Processes that wait for the guard poll: a waiting statement would have a snapshot, and
 * CREATE INDEX CONCURRENTLY would wait for that.
 *
 * The lock ends with its connection. A heartbeat notices that, and then nothing more is started.
 * @param onWait is told once if another process holds the guard
 */
export async function underMigrationGuard<Result>(
  { databaseUrl, poolMode }: { readonly databaseUrl: string; readonly poolMode: PoolMode },
  onWait: OnLockWait,
  work: (guard: MigrationGuard) => Promise<Result>,
): Promise<Result> {
  const db = connectDatabase(databaseUrl, { poolSize: 1, poolMode });
  try {
    for (let tries = 1; ; tries += 1) {
      const done = await db.transaction((trx) => tryGuarded(trx, work), { isolationLevel: 'read committed' });
      if (done) return done.result;
      const pauseMs = Math.round(POLL_MS * (0.5 + Math.random()));
      if (tries === 1) onWait({ migration: null, tries, pauseMs });
      await sleep(pauseMs);
    }
  } finally {
    await db.destroy();
  }
}

/** @returns null if another process holds the guard */
async function tryGuarded<Result>(
  trx: Knex.Transaction,
  work: (guard: MigrationGuard) => Promise<Result>,
): Promise<{ result: Result } | null> {
  await trx.raw('set local idle_in_transaction_session_timeout = 0');
  // The statement has no parameters: pg would keep a statement with parameters open, and its snapshot with it.
  const { rows } = await trx.raw(`select pg_try_advisory_xact_lock(${ADVISORY_LOCKS.migrations}) as is_held`);
  if (!rows[0].is_held) return null;
  const heartbeat = startHeartbeat(trx);
  try {
    return { result: await Promise.race([work(heartbeat), heartbeat.lost]) };
  } finally {
    await heartbeat.stop();
  }
}

function startHeartbeat(trx: Knex.Transaction) {
  const stopping = new AbortController();
  const { signal } = stopping;
  let failure: unknown = null;
  const beat = async () => {
    while (!signal.aborted) {
      await sleep(HEARTBEAT_MS, undefined, { signal }).catch(() => {});
      if (!signal.aborted) await trx.raw('select 1');
    }
  };
  const beating = beat().catch((error) => {
    failure = error;
  });
  return {
    /** Rejects when the connection has failed. Never resolves. */
    lost: beating.then(() => (failure === null ? new Promise<never>(() => {}) : Promise.reject(failure))),
    assertHeld() {
      if (failure !== null) throw failure;
    },
    async stop() {
      stopping.abort();
      await beating;
    },
  };
}
