import { readWaitingPage } from '@posthorn/domain/emails';
import type { Context } from '@posthorn/platform';
import {
  connectDatabase,
  type IncarnationFound,
  lockIncarnation,
  type PoolMode,
  readIncarnation,
  renewIncarnation,
  storeDatabaseName,
} from '@posthorn/platform/postgres';
import type { Knex } from 'knex';
import { NIL } from 'uuid';
import { parkAllEmails, unparkEmails } from './parked-store.js';

/** @property parked how many emails were parked now; those that were parked before are not counted again */
type PreparedRestore = { readonly incarnation: string; readonly parked: number };

/**
 * Makes a restored database safe to use: nothing that Redis kept from before the restore is read again, and emails that
 * may have been sent since the backup wait for the operator. Both happen or neither does.
 */
export function prepareRestore(databaseUrl: string, poolMode: PoolMode = 'session'): Promise<PreparedRestore> {
  return withIncarnationLocked({ databaseUrl, poolMode }, async (trx) =>
    beginIncarnation(trx, (await readIncarnation(trx)).current),
  );
}

/**
 * Prepares the database if it is a copy of the one that the incarnation names. Every start of a process asks, and hardly
 * any finds a copy, so the first look takes no lock.
 * @returns null if the database is not a copy
 */
export async function prepareIfCopied({ config, db }: Pick<Context, 'config' | 'db'>): Promise<PreparedRestore | null> {
  if (findNewName(await readIncarnation(db)) === null) return null;
  const { databaseUrl, databasePoolMode: poolMode } = config;
  return withIncarnationLocked({ databaseUrl, poolMode }, async (trx) => {
    const found = await readIncarnation(trx);
    const name = findNewName(found);
    if (name === null) return null;
    if (found.stored.database !== null) return beginIncarnation(trx, name);
    await storeDatabaseName(trx, name);
    return null;
  });
}

/** @returns the name of the database, if the incarnation has none or that of another database; otherwise null */
function findNewName({ stored, current }: IncarnationFound): string | null {
  return stored.database === current ? null : current;
}

async function beginIncarnation(trx: Knex.Transaction, current: string | null): Promise<PreparedRestore> {
  return { incarnation: await renewIncarnation(trx, current), parked: await parkAllEmails(trx) };
}

/** There is no time limit, because parking a long queue may take minutes, and other processes may be doing it. */
async function withIncarnationLocked<T>(
  { databaseUrl, poolMode }: { readonly databaseUrl: string; readonly poolMode: PoolMode },
  work: (trx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  const db = connectDatabase(databaseUrl, { poolSize: 1, silenceMs: 0, poolMode });
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

const BATCH_SIZE = 1_000;

/**
 * Lets workers claim parked emails again, in batches. An email whose time has run out while it was parked is not sent
 * any more.
 * @param workspaceId null for all workspaces
 * @returns how many were released
 */
export async function releaseParked({ db }: Pick<Context, 'db'>, workspaceId: string | null): Promise<number> {
  const filter = { before: null, workspaceId };
  let released = 0;
  for (let after: string | null = NIL; after !== null; ) {
    const page = await readWaitingPage(db, { after, size: BATCH_SIZE, onlyParked: true, filter });
    released += await unparkEmails(
      db,
      page.emails.map(({ id }) => id),
    );
    after = page.last;
  }
  return released;
}
