import type { Knex } from 'knex';
import { connectDatabase } from '../database/connect.js';
import { lockIncarnation, nameDatabase, readIncarnation, renewIncarnation } from './incarnation-store.js';
import { parkAll } from './parked-store.js';

/** @property parked how many emails were parked now; those that were parked before are not counted again */
export type PreparedRestore = { readonly incarnation: string; readonly parked: number };

/**
 * Makes a restored database safe to use: nothing that Redis kept from before the restore is read again, and emails that
 * may have been sent since the backup wait for the operator. Both happen or neither does.
 */
export function prepareRestore(databaseUrl: string): Promise<PreparedRestore> {
  return withIncarnationLocked(databaseUrl, begin);
}

/**
 * Prepares the database if it is a copy of the one that the incarnation names.
 * @returns null if it is not
 */
export function prepareIfCopied(databaseUrl: string): Promise<PreparedRestore | null> {
  return withIncarnationLocked(databaseUrl, async (trx) => {
    const { stored, current } = await readIncarnation(trx);
    if (current === null || stored.database === current) return null;
    if (stored.database !== null) return begin(trx);
    await nameDatabase(trx, current);
    return null;
  });
}

async function begin(trx: Knex.Transaction): Promise<PreparedRestore> {
  const { current } = await readIncarnation(trx);
  return { incarnation: await renewIncarnation(trx, current), parked: await parkAll(trx) };
}

/** There is no time limit, because parking a long queue may take minutes, and other processes may be doing it. */
async function withIncarnationLocked<T>(databaseUrl: string, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  const db = connectDatabase(databaseUrl, { poolSize: 1, silenceMs: 0 });
  try {
    return await db.transaction(async (trx) => {
      await trx.raw('set local statement_timeout = 0; set local lock_timeout = 0');
      await lockIncarnation(trx);
      return work(trx);
    });
  } finally {
    await db.destroy();
  }
}
