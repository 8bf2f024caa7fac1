import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { deleteInBatches } from '@posthorn/platform/postgres';
import { DAY_MS, firstIdAt } from '@posthorn/platform/values';
import { deleteReportsBelow } from './report-store.js';

const REPORTS_PER_STATEMENT = 500;

/**
 * Deletes reports that are too old to be of interest. What they said stays with their emails.
 * @param now the time according to Postgres
 * @param mayContinue called before each statement. If it returns false, the remaining reports are left for a later call
 */
export async function deleteOldReports(
  { db }: Pick<Context, 'db'>,
  now: Date,
  mayContinue: () => boolean,
): Promise<void> {
  const below = firstIdAt(now.getTime() - limits.reportDays.max * DAY_MS);
  await deleteInBatches((size) => deleteReportsBelow(db, below, size), REPORTS_PER_STATEMENT, mayContinue);
}
