import { type Actor, operator, recordChange, system } from '@posthorn/domain/audit-log';
import { conflict, Refusal } from '@posthorn/domain/errors';
import { SYSTEM_WORKSPACE_ID, toWorkspaceTarget } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { isId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import { evaluateCounts } from './rates.js';
import {
  clearDueMark,
  clearPause,
  type LockedWorkspace,
  listDueReputations,
  lockForPause,
  markWarned,
  queueNotification,
  type Reputation,
  type ReputationNotification,
  writePause,
} from './reputation-store.js';
import { readCountsForLimits } from './sending-stats-store.js';

type ReputationContext = Pick<Context, 'db' | 'log'>;

/**
 * Compares the rates of workspaces with the limits. A workspace that reaches the first limit is warned, and one that
 * reaches the second is paused. Any number of processes can do this at the same time.
 */
export async function warnOrPauseWorkspaces(ctx: ReputationContext): Promise<void> {
  for (const workspaceId of await listDueReputations(ctx.db)) {
    const result = await compareWorkspace(ctx, workspaceId);
    if (result) ctx.log.warn({ workspaceId, reason: result.reason }, `workspace_${result.kind}`);
  }
}

type Consequence = Pick<ReputationNotification, 'kind' | 'reason'>;

/** The email to the owners is queued in the transaction that makes the change, so there is one for each change. */
async function compareWorkspace({ db }: ReputationContext, workspaceId: string): Promise<Consequence | null> {
  return db.transaction(async (trx) => {
    const workspace = await lockForPause(trx, workspaceId);
    const reputation = workspace && (await clearDueMark(trx, workspaceId));
    if (!reputation) return null;
    const evaluation = evaluateCounts(await readCountsForLimits(trx, workspaceId));
    const isWarned = evaluation !== null;
    if (isWarned !== reputation.isWarned) await markWarned(trx, workspaceId, isWarned);
    if (evaluation === null || workspace.pauseReason !== null) return null;
    const { level, reason } = evaluation;
    if (level === 'pause') {
      await pauseLocked(trx, system, workspace, reason);
      return { kind: 'paused', reason };
    }
    return (await warn(trx, reputation, workspaceId, reason)) ? { kind: 'warned', reason } : null;
  });
}

/** A rate that keeps crossing the limit is not worth an email each time. @returns whether the owners get one */
async function warn(trx: Knex, before: Reputation, workspaceId: string, reason: string): Promise<boolean> {
  if (before.isWarned || !before.mayWarn) return false;
  await queueNotification(trx, workspaceId, { kind: 'warned', reason });
  return true;
}

/**
 * Pauses a workspace for an operator. New live mail is refused in every process within a second, and the owners get an
 * email. Emails that were already accepted are still sent.
 * @param reason sentences that its owners will read
 * @throws Refusal not_found; conflict if it is already paused
 */
export async function pauseWorkspace({ db }: Pick<Context, 'db'>, id: string, reason: string): Promise<void> {
  await db.transaction(async (trx) => {
    const workspace = await lockForOperator(trx, id);
    if (workspace.pauseReason !== null) throw conflict('The workspace is already paused.');
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
    if (pauseReason === null) throw conflict('The workspace is not paused.');
    await clearPause(trx, id);
    await recordChange(trx, operator, {
      workspaceId: id,
      action: 'workspace.resumed',
      target: toWorkspaceTarget(workspace),
      before: { paused: true, reason: pauseReason },
      after: { paused: false },
    });
  });
}

/** Pauses a workspace that is locked and not paused, and queues the email to its owners. */
async function pauseLocked(
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
    target: toWorkspaceTarget(workspace),
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
