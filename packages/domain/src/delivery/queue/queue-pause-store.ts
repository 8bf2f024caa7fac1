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

/** @returns false if there was one already */
export async function insertQueuePause(trx: Knex, workspaceId: string | null): Promise<boolean> {
  const { rowCount } = await trx.raw('insert into queue_pauses (workspace_id) values (?) on conflict do nothing', [
    workspaceId,
  ] as string[]);
  return rowCount > 0;
}

/** @returns false if there was none */
export async function deleteQueuePause(trx: Knex, workspaceId: string | null): Promise<boolean> {
  return (await trx('queue_pauses').where({ workspace_id: workspaceId }).delete()) > 0;
}
