import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import { Refusal } from '@posthorn/domain/errors';
import type { Context } from '@posthorn/platform';
import { isId } from '@posthorn/platform/values';
import { describeOverrides, workspaceTarget } from './describe-workspace.js';
import { type Allowance, allowanceOf, type LimitChange, type PlanId, plans } from './plans.js';
import { insertReachedThresholds } from './usage-threshold-store.js';
import {
  findWorkspace,
  findWorkspacesWith,
  type ListedWorkspace,
  lockPlanLimits,
  lockSettings,
  updatePlanLimits,
  updateWorkspaceLimits,
} from './workspace-store.js';

/**
 * Sets an operator's limits for one workspace. They take effect in every process within a second.
 * @returns the workspace with the limits now in force
 * @throws Refusal not_found
 */
export async function setWorkspaceLimits(
  ctx: Pick<Context, 'config' | 'db'>,
  actor: Actor,
  workspaceId: string,
  change: LimitChange,
): Promise<ListedWorkspace> {
  return ctx.db.transaction(async (trx) => {
    const settings = isId(workspaceId) ? await lockSettings(trx, workspaceId) : null;
    if (!settings) throw new Refusal('not_found', { what: 'workspace' });
    await recordChange(trx, actor, {
      workspaceId,
      action: 'workspace.limits_changed',
      target: workspaceTarget(settings),
      before: describeOverrides(settings.overrides),
      after: describeOverrides(await updateWorkspaceLimits(trx, workspaceId, change)),
    });
    const workspace = await findWorkspace(trx, workspaceId, ctx.config.rateLimitPerMinute);
    if (!workspace) throw new Refusal('not_found', { what: 'workspace' });
    await insertReachedThresholds(trx, [workspace]);
    return workspace;
  });
}

/**
 * Sets the operator's limits for all workspaces of a plan that have no limits of their own.
 * @returns the limits now in force for such a workspace
 */
export async function setPlanLimits(
  ctx: Pick<Context, 'config' | 'db'>,
  actor: Actor,
  planId: PlanId,
  change: LimitChange,
): Promise<Allowance> {
  return ctx.db.transaction(async (trx) => {
    const before = await lockPlanLimits(trx, planId);
    const overrides = await updatePlanLimits(trx, planId, change);
    await recordChange(trx, actor, {
      workspaceId: null,
      action: 'plan.limits_changed',
      target: { type: 'plan', id: planId, label: plans[planId].name },
      before: describeOverrides(before),
      after: describeOverrides(overrides),
    });
    const { rateLimitPerMinute } = ctx.config;
    await insertReachedThresholds(
      trx,
      await findWorkspacesWith(trx, { ids: [], planIds: [planId] }, rateLimitPerMinute),
    );
    return allowanceOf(planId, [overrides], rateLimitPerMinute);
  });
}
