import type { Knex } from 'knex';
import { allowanceOf, type LimitOverrides, type PlanId } from './plans.js';
import type { Workspace } from './workspace.js';

export type WorkspaceRow = {
  workspace_id: string;
  workspace_name: string;
  slug: string;
  plan_id: PlanId;
  limit_overrides: LimitOverrides;
  plan_limit_overrides: LimitOverrides | null;
};

/** The columns of `WorkspaceRow`, for any query that joins workspaces and plan_overrides. */
export const workspaceColumns = [
  'workspaces.id as workspace_id',
  'workspaces.name as workspace_name',
  'workspaces.slug',
  'workspaces.plan_id',
  'workspaces.limit_overrides',
  'plan_overrides.limit_overrides as plan_limit_overrides',
] as const;

/** Joins the two tables to a query on the column `workspaceId`. */
export function joinWorkspace(query: Knex.QueryBuilder, workspaceId: string): Knex.QueryBuilder {
  return query
    .join('workspaces', 'workspaces.id', workspaceId)
    .leftJoin('plan_overrides', 'plan_overrides.plan_id', 'workspaces.plan_id');
}

export function toWorkspace(row: WorkspaceRow, defaultRate: number): Workspace {
  return {
    id: row.workspace_id,
    name: row.workspace_name,
    slug: row.slug,
    allowance: allowanceOf(row.plan_id, [row.plan_limit_overrides ?? {}, row.limit_overrides], defaultRate),
  };
}
