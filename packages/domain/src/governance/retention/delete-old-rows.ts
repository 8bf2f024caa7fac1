import type { Context } from '@posthorn/platform';
import { deleteInBatches } from '@posthorn/platform/postgres';
import { DAY_MS, firstIdAt } from '@posthorn/platform/values';
import { deleteOldContents, deleteOldEmails, listShortRetentions, type OldRows } from './workspace-retention-store.js';

const EMAILS_PER_STATEMENT = 500;

/**
 * Deletes old rows of workspaces that keep emails or content for fewer days than the service does. It works in small
 * batches. Unlike dropping a partition, this leaves dead rows behind.
 * @param now the time according to Postgres
 * @param mayContinue called before each batch. If it returns false, the remaining rows are left for a later call
 */
export async function deleteOldRows({ db }: Pick<Context, 'db'>, now: Date, mayContinue: () => boolean): Promise<void> {
  for (const { workspaceId, contentDays, emailDays } of await listShortRetentions(db)) {
    const olderThan = (days: number, limit: number): OldRows => ({
      workspaceId,
      below: firstIdAt(now.getTime() - days * DAY_MS),
      limit,
    });
    if (emailDays !== null)
      await deleteInBatches(
        (size) => deleteOldEmails(db, olderThan(emailDays, size)),
        EMAILS_PER_STATEMENT,
        mayContinue,
      );
    if (contentDays !== null)
      await deleteInBatches(
        (size) => deleteOldContents(db, olderThan(contentDays, size)),
        EMAILS_PER_STATEMENT,
        mayContinue,
      );
  }
}
