import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { deleteInBatches } from '@posthorn/platform/postgres';
import { DAY_MS } from '@posthorn/platform/values';
import { closeUnverifiedWorkspaces } from './close-workspaces-store.js';
import { deleteUnverifiedUsers, lockUnverifiedUsers } from './user-store.js';

/** The transaction of a batch has a few statements, however many accounts there are in it. */
const ACCOUNTS_PER_TRANSACTION = 100;

/**
 * Deletes the accounts that nobody has confirmed in time, and closes their workspaces. Accounts that an operator created
 * count as confirmed. An account whose address is being verified is locked, so either it is verified or it is deleted.
 * Any number of processes can do this at the same time.
 * @param now the time according to Postgres
 * @param mayContinue called before each batch. If it returns false, the other accounts are left for a later call
 */
export async function deleteUnconfirmedAccounts(
  { db, log }: Pick<Context, 'db' | 'log'>,
  now: Date,
  mayContinue: () => boolean,
): Promise<void> {
  const createdBefore = new Date(now.getTime() - limits.unconfirmedDays.max * DAY_MS);
  const deleteBatch = (size: number) =>
    db.transaction(async (trx) => {
      const ids = await lockUnverifiedUsers(trx, createdBefore, size);
      await closeUnverifiedWorkspaces(trx, ids, now);
      await deleteUnverifiedUsers(trx, ids);
      if (ids.length > 0) log.info({ accounts: ids.length }, 'unconfirmed_accounts_deleted');
      return ids.length;
    });
  await deleteInBatches(deleteBatch, ACCOUNTS_PER_TRANSACTION, mayContinue);
}
