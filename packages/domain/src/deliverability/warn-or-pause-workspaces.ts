import { system } from '@posthorn/domain/audit-log';
import { toRegisteredDomain } from '@posthorn/domain/domains';
import { isErasedAddress } from '@posthorn/domain/erasure';
import { toHost } from '@posthorn/domain/format';
import type { Context } from '@posthorn/platform';
import type { Knex } from 'knex';
import { pauseLocked } from './pause-workspace.js';
import { countSpreadBounces, evaluateCounts, MAX_BOUNCES_BY_DOMAIN, type RateEvaluation } from './rates.js';
import {
  clearDueMark,
  listDueReputations,
  lockForPause,
  markWarned,
  queueNotification,
  type ReputationNotification,
} from './reputation-store.js';
import { listBouncedRecipients, readCountsForLimits } from './sending-stats-store.js';

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
    const evaluation = await evaluate(trx, workspaceId);
    const isWarned = evaluation !== null;
    if (isWarned !== reputation.isWarned) await markWarned(trx, workspaceId, isWarned);
    if (evaluation === null || workspace.pause !== null) return null;
    const { level, reason } = evaluation;
    if (level === 'pause') {
      await pauseLocked(trx, system, workspace, reason);
      return { kind: 'paused', reason };
    }
    if (reputation.isWarned) return null;
    await queueNotification(trx, workspaceId, { kind: 'warned', reason });
    return { kind: 'warned', reason };
  });
}

/** Which domains have refused recipients is only looked up if that can prevent a pause. */
async function evaluate(trx: Knex, workspaceId: string): Promise<RateEvaluation | null> {
  const counts = await readCountsForLimits(trx, workspaceId);
  const evaluation = evaluateCounts(counts);
  if (evaluation?.level !== 'pause' || counts.workspace.countedBounces >= MAX_BOUNCES_BY_DOMAIN) return evaluation;
  const { since } = counts;
  const recipients = await listBouncedRecipients(trx, workspaceId, { since, limit: MAX_BOUNCES_BY_DOMAIN });
  return evaluateCounts(counts, countSpreadBounces(countByDomain(recipients)));
}

/** The domain of an erased recipient is not known. Only owners erase recipients, so each counts as a domain of its own. */
function countByDomain(recipients: ReadonlyArray<string | null>): number[] {
  const counts = new Map<string, number>();
  for (const [index, recipient] of recipients.entries()) {
    const isKnown = recipient !== null && !isErasedAddress(recipient);
    const domain = isKnown ? toRegisteredDomain(toHost(recipient.toLowerCase())) : `erased ${index}`;
    counts.set(domain, (counts.get(domain) ?? 0) + 1);
  }
  return [...counts.values()];
}
