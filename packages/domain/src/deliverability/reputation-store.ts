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

export type Reputation = { readonly isWarned: boolean; readonly mayWarn: boolean };

/**
 * Marks the rates as compared. What is counted from now on makes the workspace due again. The workspace must be locked.
 * @returns `mayWarn` is false if its owners were warned in the last 24 hours; null if the workspace was deleted
 */
export async function clearDueMark(trx: Knex, workspaceId: string): Promise<Reputation | null> {
  const { rows } = await trx.raw(
    `update reputations set is_due = false where workspace_id = ?
     returning is_warned as "isWarned", coalesce(warned_at < now() - interval '24 hours', true) as "mayWarn"`,
    [workspaceId],
  );
  return rows[0] ?? null;
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
  if (kind === 'warned')
    await trx('reputations')
      .where({ workspace_id: workspaceId })
      .update({ warned_at: trx.raw('now()') });
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
  /** Why it is paused; null if it is not. */
  readonly pauseReason: string | null;
};

/** @returns null if there is no such workspace, or if it holds test mail, which is never paused */
export async function lockForPause(trx: Knex, id: string): Promise<LockedWorkspace | null> {
  const row = await trx('workspaces')
    .select('id', 'name', { pauseReason: 'pause_reason' })
    .where({ id })
    .whereNull('test_of')
    .forNoKeyUpdate()
    .first();
  return row ?? null;
}

export async function writePause(trx: Knex, id: string, reason: string): Promise<void> {
  await trx('workspaces')
    .where({ id })
    .update({ paused_at: trx.raw('now()'), pause_reason: reason });
}

export async function clearPause(trx: Knex, id: string): Promise<void> {
  await trx('workspaces')
    .where({ id })
    .update({ paused_at: null, pause_reason: null, resumed_at: trx.raw('now()') });
}
