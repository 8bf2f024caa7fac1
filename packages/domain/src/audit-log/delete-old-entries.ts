import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { deleteInBatches } from '@posthorn/platform/postgres';
import { DAY_MS, firstIdAt } from '@posthorn/platform/values';
import { deleteEntriesBelow } from './audit-log-store.js';

const ENTRIES_PER_STATEMENT = 1_000;

/**
 * Deletes the entries that are older than the audit log keeps them.
 * @param now the time according to Postgres
 * @param mayContinue called before each batch. If it returns false, the remaining entries are left for a later call
 */
export async function deleteOldEntries(
  { db }: Pick<Context, 'db'>,
  now: Date,
  mayContinue: () => boolean,
): Promise<void> {
  const below = firstIdAt(now.getTime() - limits.auditLogDays.max * DAY_MS);
  await deleteInBatches((size) => deleteEntriesBelow(db, below, size), ENTRIES_PER_STATEMENT, mayContinue);
}
