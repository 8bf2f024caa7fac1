import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import { lockLiveWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { deleteQueuePause, insertQueuePause } from './queue-pause-store.js';

/**
 * Keeps workers from claiming emails of one workspace and of its test mode, or any emails. Emails are still accepted,
 * attempts that are under way end as usual, and workers notice within a second.
 * @param workspaceId null for the whole service
 * @throws Refusal not_found
 */
export function pauseQueue(ctx: Pick<Context, 'db'>, actor: Actor, workspaceId: string | null): Promise<void> {
  return change(ctx, actor, { workspaceId, isPaused: true });
}

/**
 * Ends the pause of one workspace or of the whole service. Neither ends the other.
 * @param workspaceId null for the whole service
 * @throws Refusal not_found
 */
export function resumeQueue(ctx: Pick<Context, 'db'>, actor: Actor, workspaceId: string | null): Promise<void> {
  return change(ctx, actor, { workspaceId, isPaused: false });
}

async function change(
  { db }: Pick<Context, 'db'>,
  actor: Actor,
  { workspaceId, isPaused }: { workspaceId: string | null; isPaused: boolean },
): Promise<void> {
  await db.transaction(async (trx) => {
    const target = workspaceId === null ? null : await lockLiveWorkspace(trx, workspaceId);
    const hasChanged = await (isPaused ? insertQueuePause : deleteQueuePause)(trx, workspaceId);
    if (!hasChanged || target === null) return;
    await recordChange(trx, actor, {
      workspaceId,
      action: isPaused ? 'workspace.queue_paused' : 'workspace.queue_resumed',
      target,
      before: { queue_paused: !isPaused },
      after: { queue_paused: isPaused },
    });
  });
}
