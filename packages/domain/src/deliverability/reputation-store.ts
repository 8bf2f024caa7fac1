import { pauseColumns, toPause, type WorkspacePause } from '@posthorn/domain/workspaces';
import { newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';

/** An email to the owners of a workspace that has not been accepted yet. */
export type ReputationNotification = {
  readonly id: string;
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly kind: 'warned' | 'paused';
  readonly reason: string;
};

/** The workspaces whose rates have to be compared with the limits. Warned ones are, because rates fall with time. */
export async function listDueReputations(db: Knex): Promise<string[]> {
  const rows = await db('reputations').select('workspace_id').whereRaw('is_due or is_warned').orderBy('workspace_id');
  return rows.map(({ workspace_id }) => workspace_id);
}

export type Reputation = { readonly isWarned: boolean };

/**
 * Marks the rates as compared. What is counted from now on makes the workspace due again. The workspace must be locked.
 * @returns null if the workspace was deleted
 */
export async function clearDueMark(trx: Knex, workspaceId: string): Promise<Reputation | null> {
  const [row] = await trx('reputations')
    .where({ workspace_id: workspaceId })
    .update({ is_due: false })
    .returning('is_warned');
  return row ? { isWarned: row.is_warned } : null;
}

export async function markWarned(trx: Knex, workspaceId: string, isWarned: boolean): Promise<void> {
  await trx('reputations').where({ workspace_id: workspaceId }).update({ is_warned: isWarned });
}

/** Queues an email to the owners. It replaces one that was not accepted yet, because that one is older. */
export async function queueNotification(
  trx: Knex,
  workspaceId: string,
  { kind, reason }: Pick<ReputationNotification, 'kind' | 'reason'>,
): Promise<void> {
  const columns = { notification_id: newId(), notification_kind: kind, notification_reason: reason };
  await trx('reputations')
    .insert({ workspace_id: workspaceId, is_due: false, ...columns })
    .onConflict('workspace_id')
    .merge(columns);
}

export async function listReputationNotifications(db: Knex): Promise<ReputationNotification[]> {
  return db('reputations')
    .join('workspaces', 'workspaces.id', 'workspace_id')
    .select({
      id: 'notification_id',
      workspaceId: 'workspace_id',
      workspaceName: 'workspaces.name',
      kind: 'notification_kind',
      reason: 'notification_reason',
    })
    .whereNotNull('notification_id')
    .orderBy('workspace_id');
}

/** Marks the email as accepted. If another one was queued in the meantime, that one stays. */
export async function clearReputationNotification(
  db: Knex,
  { id, workspaceId }: Pick<ReputationNotification, 'id' | 'workspaceId'>,
): Promise<void> {
  await db('reputations')
    .where({ workspace_id: workspaceId, notification_id: id })
    .update({ notification_id: null, notification_kind: null, notification_reason: null });
}

/** A workspace that no other transaction can pause or resume. */
export type LockedWorkspace = {
  readonly id: string;
  readonly name: string;
  readonly pause: WorkspacePause | null;
};

/** @returns null if there is no such workspace, or if it holds test mail, which is never paused */
export async function lockForPause(trx: Knex, id: string): Promise<LockedWorkspace | null> {
  const row = await trx('workspaces')
    .select('id', 'name', ...pauseColumns)
    .where({ id })
    .whereNull('test_of')
    .forNoKeyUpdate()
    .first();
  return row ? { id: row.id, name: row.name, pause: toPause(row) } : null;
}

/** A pause that replaces another one begins when that one did. */
export async function writePause(
  trx: Knex,
  id: string,
  { reason, by }: Pick<WorkspacePause, 'reason' | 'by'>,
): Promise<void> {
  await trx('workspaces')
    .where({ id })
    .update({ paused_at: trx.raw('coalesce(paused_at, now())'), pause_reason: reason, paused_by: by });
}

export async function clearPause(trx: Knex, id: string): Promise<void> {
  await trx('workspaces')
    .where({ id })
    .update({ paused_at: null, pause_reason: null, paused_by: null, resumed_at: trx.raw('now()') });
}

export async function markOwnerResumed(trx: Knex, id: string): Promise<void> {
  await trx('workspaces')
    .where({ id })
    .update({ owner_resumed_at: trx.raw('now()') });
}
