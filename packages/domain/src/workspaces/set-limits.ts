import type { Context } from '../context.js';
import { Refusal } from '../errors.js';
import { isId } from '../ids.js';
import { type Allowance, allowanceOf, type LimitChange, type PlanId } from './plans.js';
import { findWorkspace, type ListedWorkspace, updatePlanLimits, updateWorkspaceLimits } from './workspace-store.js';

/**
 * Sets an operator's limits for one workspace. They take effect in every process within a second.
 * @returns the workspace with the limits now in force
 * @throws Refusal not_found
 */
export async function setWorkspaceLimits(
  ctx: Pick<Context, 'config' | 'db'>,
  workspaceId: string,
  change: LimitChange,
): Promise<ListedWorkspace> {
  const changed = isId(workspaceId) && (await updateWorkspaceLimits(ctx.db, workspaceId, change));
  const workspace = changed ? await findWorkspace(ctx.db, workspaceId, ctx.config.rateLimitPerMinute) : null;
  if (!workspace) throw new Refusal('not_found', { what: 'workspace' });
  return workspace;
}

/**
 * Sets the operator's limits for all workspaces of a plan that have no limits of their own.
 * @returns the limits now in force for such a workspace
 */
export async function setPlanLimits(
  ctx: Pick<Context, 'config' | 'db'>,
  planId: PlanId,
  change: LimitChange,
): Promise<Allowance> {
  const overrides = await updatePlanLimits(ctx.db, planId, change);
  return allowanceOf(planId, [overrides], ctx.config.rateLimitPerMinute);
}
