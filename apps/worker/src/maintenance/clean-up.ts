import { deleteExpiredIdempotencyKeys } from '@posthorn/domain/accepting';
import { deleteUnconfirmedAccounts } from '@posthorn/domain/accounts';
import { deleteUnusedAttachments, warnOfUnreachableObjects } from '@posthorn/domain/attachments';
import { deleteOldEntries } from '@posthorn/domain/audit-log';
import { deleteExpiredReports } from '@posthorn/domain/bounces';
import { deleteOldStats } from '@posthorn/domain/deliverability';
import { deleteRemovedRelays } from '@posthorn/domain/relays';
import {
  deleteClosedWorkspaces,
  deleteOldRows,
  expireCountedMail,
  maintainPartitions,
} from '@posthorn/domain/retention';
import { deleteOldBounces } from '@posthorn/domain/suppressions';
import { purgeDeletedTemplates } from '@posthorn/domain/templates';
import { insertMissedThresholds } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { deleteInBatches, readDatabaseTime } from '@posthorn/platform/postgres';
import { type Loop, startLoop } from '@posthorn/platform/processes';

const EVERY_MS = 60_000;
/** A round that finds more than it can delete in this time leaves the rest for the next one. */
const MAX_ROUND_MS = 50_000;
const MAX_EXPIRED_KEYS_PER_STATEMENT = 1_000;
const MAX_ATTACHMENTS_PER_STATEMENT = 100;
const MAX_TEMPLATES_PER_TRANSACTION = 20;

type CleanUpContext = Pick<Context, 'config' | 'db' | 'log' | 'objects'>;

/**
 * Deletes what is no longer needed, adds partitions for future emails, and writes events that a change of limits has
 * made necessary. Any number of workers can share the work.
 */
export function startCleanUp(ctx: CleanUpContext): Loop {
  let hasWarned = false;
  return startLoop(
    async (goesOn) => {
      const until = performance.now() + MAX_ROUND_MS;
      await cleanUp(ctx, () => goesOn() && performance.now() < until).catch((error) =>
        ctx.log.warn({ error }, 'cleanup_failed'),
      );
      if (!hasWarned) await warnOfUnreachableObjects(ctx);
      hasWarned = true;
      return false;
    },
    EVERY_MS,
    // The objects could not be looked up in Postgres. The next round tries again.
    () => {},
  );
}

/** @param mayContinue called before each statement that deletes rows */
async function cleanUp(ctx: CleanUpContext, mayContinue: () => boolean): Promise<void> {
  const now = await readDatabaseTime(ctx.db);
  await maintainPartitions(ctx, now);
  await insertMissedThresholds(ctx, now);
  const deleteKeys = (size: number) => deleteExpiredIdempotencyKeys(ctx.db, size);
  await deleteInBatches(deleteKeys, MAX_EXPIRED_KEYS_PER_STATEMENT, mayContinue);
  await deleteOldRows(ctx, now, mayContinue);
  await expireCountedMail(ctx, now, mayContinue);
  const purgeTemplates = (size: number) => purgeDeletedTemplates(ctx, now, size);
  await deleteInBatches(purgeTemplates, MAX_TEMPLATES_PER_TRANSACTION, mayContinue);
  const deleteAttachments = (size: number) => deleteUnusedAttachments(ctx, size);
  await deleteInBatches(deleteAttachments, MAX_ATTACHMENTS_PER_STATEMENT, mayContinue);
  await deleteOldEntries(ctx, now, mayContinue);
  await deleteOldBounces(ctx, now);
  await deleteExpiredReports(ctx, mayContinue);
  await deleteOldStats(ctx, now, mayContinue);
  await deleteRemovedRelays(ctx.db, now);
  await deleteUnconfirmedAccounts(ctx, now, mayContinue);
  // Last, because it can take a long time.
  await deleteClosedWorkspaces(ctx, mayContinue);
}
