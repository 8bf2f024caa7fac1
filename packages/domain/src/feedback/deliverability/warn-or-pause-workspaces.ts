import { system } from '@posthorn/domain/audit-log';
import type { Context } from '@posthorn/platform';
import type { Knex } from 'knex';
import { evaluateCounts } from './evaluate-counts.js';
import { lockForPause } from './pause-store.js';
import { pauseLocked } from './pause-workspace.js';
import {
  clearDueMark,
  listDueReputations,
  markWarned,
  queueNotification,
  type Reputation,
  type ReputationNotification,
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
