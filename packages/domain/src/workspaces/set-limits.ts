import type { Context } from '../context.js';
import { Refusal } from '../errors.js';
import { isId } from '../ids.js';
import { type Allowance, allowanceOf, type LimitChange, type PlanId } from './plans.js';
import { findWorkspace, type ListedWorkspace, updatePlanLimits, updateWorkspaceLimits } from './workspace-store.js';

/**
 * An operator's numbers for one workspace; they hold on every process within a second.
 * @returns the workspace with the numbers that hold for it now
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
 * An operator's numbers for every workspace of a plan that has none of its own.
 * @returns the numbers that such a workspace has now
 */
export async function setPlanLimits(
  ctx: Pick<Context, 'config' | 'db'>,
  planId: PlanId,
  change: LimitChange,
): Promise<Allowance> {
  const overrides = await updatePlanLimits(ctx.db, planId, change);
  return allowanceOf(planId, [overrides], ctx.config.rateLimitPerMinute);
}
