import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import { lockLiveWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import type { Knex } from 'knex';

/** While it exists, no worker claims emails of the workspace, or any emails if `workspaceId` is null. */
export type QueuePause = { readonly workspaceId: string | null; readonly since: Date };

export async function readQueuePauses(db: Knex): Promise<QueuePause[]> {
  return db('queue_pauses').select({ workspaceId: 'workspace_id', since: 'created_at' }).orderBy('created_at');
}

/** What workers must not claim. `workspaceIds` includes the workspaces that hold test mail. */
export type PausedQueues = { readonly isServicePaused: boolean; readonly workspaceIds: readonly string[] };

export async function readPausedQueues(db: Knex): Promise<PausedQueues> {
  const { rows } = await db.raw(
    `select exists (select from queue_pauses where workspace_id is null) as "isServicePaused",
       array(
         select workspaces.id from queue_pauses
         join workspaces on queue_pauses.workspace_id in (workspaces.id, workspaces.test_of)
       ) as "workspaceIds"`,
  );
  return rows[0];
}

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
    const changed = await (isPaused
      ? trx('queue_pauses').insert({ workspace_id: workspaceId }).onConflict().ignore().returning('created_at')
      : trx('queue_pauses').where({ workspace_id: workspaceId }).delete('created_at'));
    if (changed.length === 0 || target === null) return;
    await recordChange(trx, actor, {
      workspaceId,
      action: isPaused ? 'workspace.queue_paused' : 'workspace.queue_resumed',
      target,
      before: { queue_paused: !isPaused },
      after: { queue_paused: isPaused },
    });
  });
}
