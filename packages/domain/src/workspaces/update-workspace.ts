import { type Actor, type AuditedFields, recordChange } from '@posthorn/domain/audit-log';
import { type FieldFault, invalid, Refusal } from '@posthorn/domain/errors';
import {
  type Allowance,
  type LimitChange,
  type LimitOverrides,
  type PlanId,
  plans,
  toAllowance,
} from '@posthorn/domain/plans';
import type { Context } from '@posthorn/platform';
import { isId } from '@posthorn/platform/values';
import { insertReachedThresholds } from './usage-threshold-store.js';
import { toWorkspaceTarget, type Workspace, type WorkspaceRetention } from './workspace.js';
import {
  findWorkspace,
  findWorkspacesWith,
  type ListedWorkspace,
  lockPlanLimits,
  lockSettings,
  updatePlan,
  updatePlanLimits,
  updateWorkspaceLimits,
  updateWorkspaceRow,
  type WorkspaceChange,
} from './workspace-store.js';

/**
 * Renames a workspace, or sets how long it keeps its emails. Workers delete older emails within minutes.
 * @throws Refusal validation_failed for more days than the service keeps emails; not_found
 */
export async function updateWorkspace(
  ctx: Pick<Context, 'config' | 'db'>,
  actor: Actor,
  workspace: Workspace,
  change: WorkspaceChange,
): Promise<Workspace> {
  const { contentRetentionDays, emailRetentionDays } = ctx.config;
  assertKept('content_retention_days', change.contentDays, contentRetentionDays);
  assertKept('email_retention_days', change.emailDays, emailRetentionDays);
  return ctx.db.transaction(async (trx) => {
    const before = await lockSettings(trx, workspace.id);
    if (!before) throw new Refusal('not_found', { what: 'workspace' });
    const after = { ...before, ...change };
    await updateWorkspaceRow(trx, workspace.id, change);
    await recordChange(trx, actor, {
      workspaceId: workspace.id,
      action: 'workspace.updated',
      target: toWorkspaceTarget(after),
      before: describeSettings(before),
      after: describeSettings(after),
    });
    const { name, contentDays, emailDays } = after;
    return { ...workspace, name, retention: { contentDays, emailDays } };
  });
}

function assertKept(field: FieldFault['field'], days: number | null | undefined, max: number): void {
  if (days === undefined || days === null || days <= max) return;
  const message = `is ${days}, but the maximum on this service is ${max} days. Choose fewer days, or null for the maximum`;
  throw invalid({ field, message });
}

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
      target: toWorkspaceTarget(workspace),
      before: { plan: workspace.planId },
      after: { plan: planId },
    });
  });
}

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
      target: toWorkspaceTarget(settings),
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
    return toAllowance(planId, [overrides], rateLimitPerMinute);
  });
}

/** What the audit log says about the settings that owners can change. */
function describeSettings({ name, contentDays, emailDays }: { name: string } & WorkspaceRetention): AuditedFields {
  return { name, content_retention_days: contentDays, email_retention_days: emailDays };
}

/** What the audit log says about overrides, in the words of the `posthorn` command. */
function describeOverrides({ monthly, daily, rate, overage, storage }: LimitOverrides): AuditedFields {
  return {
    monthly: inWords(monthly),
    daily: inWords(daily),
    rate_per_minute: inWords(rate),
    overage_cap: inWords(overage),
    storage_bytes: inWords(storage),
  };
}

/** `none`: no limit. `default`: the plan's own limit. */
function inWords(limit: number | null | undefined): number | 'none' | 'default' {
  if (limit === undefined) return 'default';
  return limit ?? 'none';
}

/** Writes to the audit log that an export of the workspace begins. */
export async function recordExport(
  { db }: Pick<Context, 'db'>,
  actor: Actor,
  { liveId, name }: Pick<Workspace, 'liveId' | 'name'>,
): Promise<void> {
  await db.transaction((trx) =>
    recordChange(trx, actor, {
      workspaceId: liveId,
      action: 'workspace.exported',
      target: { type: 'workspace', id: liveId, label: name },
      before: null,
      after: { format: 'ndjson' },
    }),
  );
}
