import { type Actor, operator, recordChange } from '@posthorn/domain/audit-log';
import { Refusal } from '@posthorn/domain/errors';
import { SYSTEM_WORKSPACE_ID, workspaceTarget } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { isId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import { clearPause, type LockedWorkspace, lockForPause, writePause } from './pause-store.js';
import { queueNotification } from './reputation-store.js';

/**
 * Pauses a workspace for an operator. New live mail is refused in every process within a second, and the owners get an
 * email. Emails that were already accepted are still sent.
 * @param reason sentences that its owners will read
 * @throws Refusal not_found; conflict if it is already paused
 */
export async function pauseWorkspace({ db }: Pick<Context, 'db'>, id: string, reason: string): Promise<void> {
  await db.transaction(async (trx) => {
    const workspace = await lockForOperator(trx, id);
    if (workspace.pauseReason !== null) throw new Refusal('conflict', { reason: 'The workspace is already paused.' });
    await pauseLocked(trx, operator, workspace, reason);
  });
}

/**
 * Lets a paused workspace send again. From then on, only what is counted in later hours can pause it again.
 * @throws Refusal not_found; conflict if it is not paused
 */
export async function resumeWorkspace({ db }: Pick<Context, 'db'>, id: string): Promise<void> {
  await db.transaction(async (trx) => {
    const workspace = await lockForOperator(trx, id);
    const { pauseReason } = workspace;
    if (pauseReason === null) throw new Refusal('conflict', { reason: 'The workspace is not paused.' });
    await clearPause(trx, id);
    await recordChange(trx, operator, {
      workspaceId: id,
      action: 'workspace.resumed',
      target: workspaceTarget(workspace),
      before: { paused: true, reason: pauseReason },
      after: { paused: false },
    });
  });
}

/** Pauses a workspace that is locked and not paused, and queues the email to its owners. */
export async function pauseLocked(
  trx: Knex.Transaction,
  actor: Actor,
  workspace: LockedWorkspace,
  reason: string,
): Promise<void> {
  await writePause(trx, workspace.id, reason);
  await queueNotification(trx, workspace.id, { kind: 'paused', reason });
  await recordChange(trx, actor, {
    workspaceId: workspace.id,
    action: 'workspace.paused',
    target: workspaceTarget(workspace),
    before: { paused: false },
    after: { paused: true, reason },
  });
}

/** The system workspace cannot be paused, because without its mail, nobody could reset a password. */
async function lockForOperator(trx: Knex, id: string): Promise<LockedWorkspace> {
  const workspace = isId(id) && id !== SYSTEM_WORKSPACE_ID ? await lockForPause(trx, id) : null;
  if (!workspace) throw new Refusal('not_found', { what: 'workspace' });
  return workspace;
}
