import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Backfill, Step } from './migration.js';
import { inMigrationTransaction, retryOnLocks } from './migration-transaction.js';

const BATCH_SIZE = 1_000;
const MAX_BATCH_SIZE = 50_000;
/** A batch that takes longer is followed by smaller ones. Other writers wait for the rows of a batch. */
const LONG_BATCH_MS = 500;
const SHORT_BATCH_MS = 100;
const MAX_PAUSE_MS = 1_000;

/**
 * Changes stored rows in batches, each in a transaction of its own that also stores how far it got. So a run that is
 * stopped is continued by the next one. After each batch, it pauses for as long as the batch took, to leave the server
 * to others.
 */
export async function runBackfill({ db, migration, onWait, assertHeld }: Step, backfill: Backfill): Promise<void> {
  let size = backfill.batchSize ?? BATCH_SIZE;
  for (;;) {
    assertHeld();
    const startedAt = performance.now();
    const isFinished = await retryOnLocks(migration, onWait, () =>
      inMigrationTransaction(db, (trx) => runBatch(trx, migration, { sql: backfill.sql, size })),
    );
    if (isFinished) return;
    const ms = performance.now() - startedAt;
    if (ms > LONG_BATCH_MS) size = Math.max(1, Math.floor(size / 2));
    else if (ms < SHORT_BATCH_MS) size = Math.min(MAX_BATCH_SIZE, size * 2);
    await sleep(Math.min(ms, MAX_PAUSE_MS));
  }
}

/** @returns whether nothing is left to change */
async function runBatch(
  trx: Knex.Transaction,
  migration: string,
  { sql, size }: { sql: string; size: number },
): Promise<boolean> {
  const progress = await trx('migration_progress').forUpdate().where({ name: migration }).first('position');
  const bindings: Record<string, string | number | null> = { after: progress?.position ?? null, limit: size };
  const { rows } = await trx.raw(sql, bindings as Record<string, string | number>);
  const last: string | null = rows[0]?.last ?? null;
  if (last === null) return true;
  await trx('migration_progress').insert({ name: migration, position: last }).onConflict('name').merge();
  return false;
}
