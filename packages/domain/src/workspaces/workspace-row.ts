import type { Knex } from 'knex';
import { type LimitOverrides, type PlanId, toAllowance, withUnverifiedCap } from './plans.js';
import { EVERY_WORKSPACE, type Workspace } from './workspace.js';

export type WorkspaceRow = {
  workspace_id: string;
  test_workspace_id: string | null;
  workspace_name: string;
  slug: string;
  plan_id: PlanId;
  limit_overrides: LimitOverrides;
  plan_limit_overrides: LimitOverrides | null;
  unverified_owner_email: string | null;
  signup_source: string | null;
  content_retention_days: number | null;
  email_retention_days: number | null;
  has_suppressions: boolean;
  paused_at: Date | null;
  pause_reason: string | null;
};

const columns = [
  'workspaces.id as workspace_id',
  'test_workspaces.id as test_workspace_id',
  'workspaces.name as workspace_name',
  'workspaces.slug',
  'workspaces.plan_id',
  'workspaces.limit_overrides',
  'workspaces.content_retention_days',
  'workspaces.email_retention_days',
  'workspaces.paused_at',
  'workspaces.pause_reason',
  'plan_overrides.limit_overrides as plan_limit_overrides',
  'unverified_owners.email as unverified_owner_email',
  'unverified_owners.signup_source',
];

/** The columns of `WorkspaceRow`, for any query on workspaces that uses `joinLimits`. */
export function buildWorkspaceColumns(db: Knex): Array<string | Knex.Raw> {
  return [...columns, db.raw(`${hasSuppressionsSql('workspaces.id')} as has_suppressions`)];
}

/** Joins the table workspaces to a query. @param workspaceId the column that contains the workspace's id */
export function joinWorkspace(query: Knex.QueryBuilder, workspaceId: string): Knex.QueryBuilder {
  return joinLimits(query.join('workspaces', 'workspaces.id', workspaceId));
}

/** Joins the other rows that a workspace's limits depend on. */
export function joinLimits(query: Knex.QueryBuilder): Knex.QueryBuilder {
  return query
    .leftJoin('workspaces as test_workspaces', 'test_workspaces.test_of', 'workspaces.id')
    .leftJoin('plan_overrides', 'plan_overrides.plan_id', 'workspaces.plan_id')
    .leftJoin('users as unverified_owners', 'unverified_owners.id', 'workspaces.unverified_owner_id');
}

export function toWorkspace(row: WorkspaceRow, defaultRate: number): Workspace {
  const { unverified_owner_email: email, signup_source: signupSource } = row;
  const allowance = toAllowance(row.plan_id, [row.plan_limit_overrides ?? {}, row.limit_overrides], defaultRate);
  return {
    id: row.workspace_id,
    liveId: row.workspace_id,
    testId: row.test_workspace_id,
    name: row.workspace_name,
    slug: row.slug,
    allowance: email === null ? allowance : withUnverifiedCap(allowance),
    retention: { contentDays: row.content_retention_days, emailDays: row.email_retention_days },
    unverifiedOwner: email === null ? null : { email, signupSource: signupSource ?? '' },
    hasSuppressions: row.has_suppressions,
    pause: row.paused_at === null ? null : { since: row.paused_at, reason: row.pause_reason ?? '' },
  };
}

/** SQL: whether the workspace has suppressions, or there are some for all workspaces. @param id the column with its id */
export function hasSuppressionsSql(id: string): string {
  return `exists (select from suppressions where workspace_id in (${id}, '${EVERY_WORKSPACE}'))`;
}
