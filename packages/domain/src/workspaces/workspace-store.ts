import type { AuditTarget } from '@posthorn/contract';
import { Refusal } from '@posthorn/domain/errors';
import {
  type LimitChange,
  type LimitOverrides,
  type PlanId,
  toAllowance,
  withUnverifiedCap,
} from '@posthorn/domain/plans';
import { toColumns } from '@posthorn/platform/postgres';
import { isId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import {
  EVERY_WORKSPACE,
  SYSTEM_WORKSPACE_ID,
  toWorkspaceTarget,
  type Workspace,
  type WorkspacePause,
  type WorkspaceRetention,
} from './workspace.js';

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
} & PauseRow;

type PauseRow = {
  paused_at: Date | null;
  pause_reason: string | null;
  paused_by: WorkspacePause['by'] | null;
  owner_resumed_at: Date | null;
};

/** The columns of a pause, for any query on workspaces. */
export const pauseColumns = ['paused_at', 'pause_reason', 'paused_by', 'owner_resumed_at'].map(
  (name) => `workspaces.${name}`,
);

const columns = [
  'workspaces.id as workspace_id',
  'test_workspaces.id as test_workspace_id',
  'workspaces.name as workspace_name',
  'workspaces.slug',
  'workspaces.plan_id',
  'workspaces.limit_overrides',
  'workspaces.content_retention_days',
  'workspaces.email_retention_days',
  ...pauseColumns,
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
function joinLimits(query: Knex.QueryBuilder): Knex.QueryBuilder {
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
    pause: toPause(row),
  };
}

export function toPause(row: PauseRow): WorkspacePause | null {
  const { paused_at: since, pause_reason: reason, paused_by: by, owner_resumed_at: ownerResumedAt } = row;
  return since === null || reason === null || by === null ? null : { since, reason, by, ownerResumedAt };
}

/** SQL: whether the workspace has suppressions, or there are some for all workspaces. @param id the column with its id */
export function hasSuppressionsSql(id: string): string {
  return `exists (select from suppressions where workspace_id in (${id}, '${EVERY_WORKSPACE}'))`;
}

export type NewWorkspace = {
  id: string;
  name: string;
  slug: string;
  planId: PlanId;
  createdAt: Date;
  /** The id of the owner, if the owner's address is not verified. */
  unverifiedOwnerId: string | null;
};

/** A workspace as an operator sees it. */
export type ListedWorkspace = Workspace & { createdAt: Date };

/** @returns false, and writes nothing, when the slug is taken */
export async function insertWorkspace(db: Knex, workspace: NewWorkspace): Promise<boolean> {
  const written = await db('workspaces').insert(toColumns(workspace)).onConflict('slug').ignore().returning('id');
  return written.length > 0;
}

export async function findWorkspace(db: Knex, id: string, defaultRate: number): Promise<ListedWorkspace | null> {
  const row = await workspaces(db).where('workspaces.id', id).first();
  return row ? toListedWorkspace(row, defaultRate) : null;
}

/** All workspaces except the system workspace and those with test mail, oldest first. */
export async function listWorkspaces(db: Knex, defaultRate: number): Promise<ListedWorkspace[]> {
  const rows: ListedRow[] = await workspaces(db)
    .whereNot('workspaces.id', SYSTEM_WORKSPACE_ID)
    .orderBy('workspaces.id');
  return rows.map((row) => toListedWorkspace(row, defaultRate));
}

/** The workspaces with these ids or on these plans, except test workspaces. */
export async function findWorkspacesWith(
  db: Knex,
  { ids, planIds }: { ids: readonly string[]; planIds: readonly string[] },
  defaultRate: number,
): Promise<ListedWorkspace[]> {
  const rows: ListedRow[] = await workspaces(db).where((either) =>
    either.whereIn('workspaces.id', ids).orWhereIn('workspaces.plan_id', planIds),
  );
  return rows.map((row) => toListedWorkspace(row, defaultRate));
}

function workspaces(db: Knex) {
  const query = db('workspaces').select(buildWorkspaceColumns(db)).select('workspaces.created_at');
  return joinLimits(query).whereNull('workspaces.test_of').whereNull('workspaces.closed_at');
}

type ListedRow = WorkspaceRow & { created_at: Date };

function toListedWorkspace(row: ListedRow, defaultRate: number): ListedWorkspace {
  return { ...toWorkspace(row, defaultRate), createdAt: row.created_at };
}

/**
 * Keeps other transactions from adding or removing keys, members, domains, templates or webhooks of the workspace, so
 * that their number can be checked against a limit. Accepting emails does not wait for this lock.
 * @throws Refusal unauthenticated if the workspace was closed since the request was authenticated
 */
export async function lockWorkspace(trx: Knex, id: string): Promise<void> {
  const found = await trx('workspaces').select('id').where({ id, closed_at: null }).forNoKeyUpdate();
  if (found.length === 0) throw new Refusal('unauthenticated');
}

/** What owners and operators can change about a workspace. */
type WorkspaceSettings = WorkspaceRetention & {
  readonly id: string;
  readonly name: string;
  readonly planId: PlanId;
  readonly overrides: LimitOverrides;
};

/** Keeps other transactions from changing the settings, as `lockWorkspace` does. @returns null if there is none */
export async function lockSettings(trx: Knex, id: string): Promise<WorkspaceSettings | null> {
  const row = await trx('workspaces')
    .select('id', 'name', { planId: 'plan_id', overrides: 'limit_overrides' })
    .select({ contentDays: 'content_retention_days', emailDays: 'email_retention_days' })
    .where({ id })
    .forNoKeyUpdate()
    .first();
  return row ?? null;
}

export type WorkspaceChange = Partial<WorkspaceRetention> & { readonly name?: string };

/** Writes only the columns that the change contains. */
export async function updateWorkspaceRow(db: Knex, id: string, change: WorkspaceChange): Promise<void> {
  const { name, contentDays, emailDays } = change;
  const columns = { name, content_retention_days: contentDays, email_retention_days: emailDays };
  await db('workspaces').where({ id }).update(columns);
}

/**
 * @returns the ids of the workspaces that no longer have an unverified owner. Unless they are closed, they may now send
 *   to every address
 */
export async function clearUnverifiedOwners(db: Knex, userIds: readonly string[]): Promise<string[]> {
  const rows = await db('workspaces')
    .whereIn('unverified_owner_id', userIds)
    .update({ unverified_owner_id: null })
    .returning('id');
  return rows.map(({ id }) => id);
}

export async function updatePlan(db: Knex, id: string, planId: PlanId): Promise<void> {
  await db('workspaces').where({ id }).update({ plan_id: planId });
}

/** @returns all overrides that the workspace has now */
export async function updateWorkspaceLimits(db: Knex, id: string, change: LimitChange): Promise<LimitOverrides> {
  const [row] = await db('workspaces')
    .where({ id })
    .update({ limit_overrides: withChange(db, change) })
    .returning('limit_overrides');
  return row.limit_overrides;
}

/** Keeps other transactions from changing a plan's overrides. @returns the overrides */
export async function lockPlanLimits(trx: Knex, planId: PlanId): Promise<LimitOverrides> {
  await trx('plan_overrides').insert({ plan_id: planId, limit_overrides: '{}' }).onConflict('plan_id').ignore();
  const row = await trx('plan_overrides').select('limit_overrides').where({ plan_id: planId }).forNoKeyUpdate().first();
  return row.limit_overrides;
}

/** The plan must be locked. @returns all overrides that the plan has now */
export async function updatePlanLimits(trx: Knex, planId: PlanId, change: LimitChange): Promise<LimitOverrides> {
  const [row] = await trx('plan_overrides')
    .where({ plan_id: planId })
    .update({ limit_overrides: withChange(trx, change) })
    .returning('limit_overrides');
  return row.limit_overrides;
}

/** The stored overrides after the change: new numbers are added, and overrides that are now 'default' are removed. */
function withChange(db: Knex, change: LimitChange): Knex.Raw {
  const entries = Object.entries(change);
  const numbers = Object.fromEntries(entries.filter(([, value]) => value !== 'default'));
  const removed = entries.filter(([, value]) => value === 'default').map(([name]) => name);
  return db.raw('(limit_overrides || ?::jsonb) - ?::text[]', [JSON.stringify(numbers), removed]);
}

/** Creates the workspace for test mail if there is none yet. The live workspace must be locked. */
export async function ensureTestWorkspace(trx: Knex, liveId: string, newId: string): Promise<void> {
  await trx.raw(
    `insert into workspaces (id, name, slug, plan_id, test_of)
     select :newId::uuid, name, :newId, plan_id, id from workspaces
     where id = :liveId and not exists (select from workspaces where test_of = :liveId)`,
    { liveId, newId },
  );
}

/**
 * Locks a workspace that does not hold test mail.
 * @returns what the audit log calls it
 * @throws Refusal not_found
 */
export async function lockLiveWorkspace(trx: Knex, id: string): Promise<AuditTarget> {
  const row = isId(id)
    ? await trx('workspaces')
        .select('id', 'name')
        .where({ id, test_of: null, closed_at: null })
        .forNoKeyUpdate()
        .first()
    : undefined;
  if (!row) throw new Refusal('not_found', { what: 'workspace' });
  return toWorkspaceTarget(row);
}
