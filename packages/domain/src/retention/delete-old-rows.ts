import type { Context } from '../context.js';
import { DAY_MS } from '../durations.js';
import { firstIdAt } from '../ids.js';
import { deleteOldContents, deleteOldEmails, listShortRetentions, type OldRows } from './workspace-retention-store.js';

const EMAILS_PER_STATEMENT = 500;

/**
 * Deletes rows of workspaces that keep them for fewer days than the service does, in small batches. Unlike dropping a
 * partition, this leaves dead rows behind.
 * @param now the time by Postgres' clock
 * @param mayContinue asked before each batch. If it returns false, a later call deletes the rest
 */
export async function deleteOldRows({ db }: Pick<Context, 'db'>, now: Date, mayContinue: () => boolean): Promise<void> {
  for (const { workspaceId, contentDays, emailDays } of await listShortRetentions(db)) {
    const olderThan = (days: number): OldRows => ({
      workspaceId,
      below: firstIdAt(now.getTime() - days * DAY_MS),
      limit: EMAILS_PER_STATEMENT,
    });
    if (emailDays !== null) await deleteBatches(() => deleteOldEmails(db, olderThan(emailDays)), mayContinue);
    if (contentDays !== null) await deleteBatches(() => deleteOldContents(db, olderThan(contentDays)), mayContinue);
  }
}

async function deleteBatches(deleteBatch: () => Promise<number>, mayContinue: () => boolean): Promise<void> {
  while (mayContinue()) if ((await deleteBatch()) < EMAILS_PER_STATEMENT) return;
}
