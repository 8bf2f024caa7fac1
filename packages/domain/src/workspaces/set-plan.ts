import type { Context } from '../context.js';
import { Refusal } from '../errors.js';
import { isId } from '../ids.js';
import type { PlanId } from './plans.js';
import { updatePlan } from './workspace-store.js';

/** Moves a workspace to a plan. Its usage so far still counts. @throws Refusal not_found */
export async function setPlan(ctx: Pick<Context, 'db'>, workspaceId: string, planId: PlanId): Promise<void> {
  const changed = isId(workspaceId) && (await updatePlan(ctx.db, workspaceId, planId));
  if (!changed) throw new Refusal('not_found', { what: 'workspace' });
}
