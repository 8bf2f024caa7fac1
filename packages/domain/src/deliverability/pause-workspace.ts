import { type Actor, operator, recordChange } from '@posthorn/domain/audit-log';
import { conflict, Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { mayOwnerResume, SYSTEM_WORKSPACE_ID, toWorkspaceTarget } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { isId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import {
  clearPause,
  type LockedWorkspace,
  lockForPause,
  markOwnerResumed,
  queueNotification,
  writePause,
} from './reputation-store.js';

/**
 * Pauses a workspace for an operator. New live mail is refused in every process within a second, and the owners get an
 * email. Emails that were already accepted are still sent. A pause that the service began becomes the operator's.
 * @param reason sentences that its owners will read
 * @throws Refusal not_found; conflict if an operator has already paused it
 */
export async function pauseWorkspace({ db }: Pick<Context, 'db'>, id: string, reason: string): Promise<void> {
  await db.transaction(async (trx) => {
    const workspace = await lockPausable(trx, id);
    if (workspace.pause?.by === 'operator') throw conflict('The workspace is already paused.');
    await pauseLocked(trx, operator, workspace, reason);
  });
}

/**
 * Lets a paused workspace send again. From then on, only what is counted in later hours can pause it again.
 * @throws Refusal not_found; conflict if it is not paused
 */
export async function resumeWorkspace({ db }: Pick<Context, 'db'>, id: string): Promise<void> {
  await db.transaction(async (trx) => {
    await resumeLocked(trx, operator, await lockPausable(trx, id));
  });
}

/**
 * Lets an owner resume the workspace, as an operator can, if the service has paused it.
 * @param reason what the owner has done about the cause
 * @throws Refusal conflict if it is not paused, or only an operator can resume it
 */
export async function resumeOwnWorkspace(
  { db }: Pick<Context, 'db'>,
  actor: Actor,
  { id, reason }: { id: string; reason: string },
): Promise<void> {
  await db.transaction(async (trx) => {
    const workspace = await lockPausable(trx, id);
    const { pause } = workspace;
    if (pause?.by === 'operator')
      throw conflict('The operator has paused the workspace. Ask the operator to resume it.');
    if (pause && !mayOwnerResume(pause))
      throw conflict(
        `An owner resumed the workspace on ${pause.ownerResumedAt?.toISOString().slice(0, 10)}, and it was paused again within ${limits.ownerResumeDays.max} days. Ask the operator to resume it.`,
      );
    await resumeLocked(trx, actor, workspace, reason);
    await markOwnerResumed(trx, id);
  });
}

async function resumeLocked(
  trx: Knex.Transaction,
  actor: Actor,
  workspace: LockedWorkspace,
  because?: string,
): Promise<void> {
  if (workspace.pause === null) throw conflict('The workspace is not paused.');
  await clearPause(trx, workspace.id);
  await recordChange(trx, actor, {
    workspaceId: workspace.id,
    action: 'workspace.resumed',
    target: toWorkspaceTarget(workspace),
    before: { paused: true, reason: workspace.pause.reason },
    after: { paused: false, ...(because !== undefined && { because }) },
  });
}

/** Pauses a workspace that is locked, and queues the email to its owners. */
export async function pauseLocked(
  trx: Knex.Transaction,
  actor: Actor,
  workspace: LockedWorkspace,
  reason: string,
): Promise<void> {
  await writePause(trx, workspace.id, { reason, by: actor.type === 'operator' ? 'operator' : 'system' });
  await queueNotification(trx, workspace.id, { kind: 'paused', reason });
  await recordChange(trx, actor, {
    workspaceId: workspace.id,
    action: 'workspace.paused',
    target: toWorkspaceTarget(workspace),
    before: { paused: workspace.pause !== null, reason: workspace.pause?.reason },
    after: { paused: true, reason },
  });
}

/** The system workspace cannot be paused, because without its mail, nobody could reset a password. */
async function lockPausable(trx: Knex, id: string): Promise<LockedWorkspace> {
  const workspace = isId(id) && id !== SYSTEM_WORKSPACE_ID ? await lockForPause(trx, id) : null;
  if (!workspace) throw new Refusal('not_found', { what: 'workspace' });
  return workspace;
}
