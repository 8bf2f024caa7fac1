import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import { Refusal } from '@posthorn/domain/errors';
import type { Context } from '@posthorn/platform';
import { isId } from '@posthorn/platform/values';
import { workspaceTarget } from './describe-workspace.js';
import type { PlanId } from './plans.js';
import { insertReachedThresholds } from './usage-threshold-store.js';
import { findWorkspace, lockSettings, updatePlan } from './workspace-store.js';

/** Moves a workspace to a plan. Its usage so far still counts. @throws Refusal not_found */
export async function setPlan(
  ctx: Pick<Context, 'config' | 'db'>,
  actor: Actor,
  workspaceId: string,
  planId: PlanId,
): Promise<void> {
  await ctx.db.transaction(async (trx) => {
    const workspace = isId(workspaceId) ? await lockSettings(trx, workspaceId) : null;
    if (!workspace) throw new Refusal('not_found', { what: 'workspace' });
    await updatePlan(trx, workspaceId, planId);
    const changed = await findWorkspace(trx, workspaceId, ctx.config.rateLimitPerMinute);
    if (changed) await insertReachedThresholds(trx, [changed]);
    await recordChange(trx, actor, {
      workspaceId,
      action: 'workspace.plan_changed',
      target: workspaceTarget(workspace),
      before: { plan: workspace.planId },
      after: { plan: planId },
    });
  });
}
