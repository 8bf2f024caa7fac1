import type { AuditTarget } from '@posthorn/contract';
import { Refusal } from '@posthorn/domain/errors';
import { toColumns } from '@posthorn/platform/postgres';
import { isId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import type { LimitChange, LimitOverrides, PlanId } from './plans.js';
import { SYSTEM_WORKSPACE_ID, toWorkspaceTarget, type Workspace, type WorkspaceRetention } from './workspace.js';
import { buildWorkspaceColumns, joinLimits, toWorkspace, type WorkspaceRow } from './workspace-row.js';

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
  return joinLimits(db('workspaces').select(buildWorkspaceColumns(db)).select('workspaces.created_at')).whereNull(
    'workspaces.test_of',
  );
}

type ListedRow = WorkspaceRow & { created_at: Date };

function toListedWorkspace(row: ListedRow, defaultRate: number): ListedWorkspace {
  return { ...toWorkspace(row, defaultRate), createdAt: row.created_at };
}

/**
 * Keeps other transactions from adding or removing keys, members, domains or templates of the workspace, so that their
 * number can be checked against a limit. Accepting emails does not wait for this lock.
 */
export async function lockWorkspace(trx: Knex, id: string): Promise<void> {
  await trx('workspaces').select('id').where({ id }).forNoKeyUpdate();
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

/** @returns the id of the workspace that may now send to every address; null when the user has no such workspace */
export async function clearUnverifiedOwner(db: Knex, userId: string): Promise<string | null> {
  const [row] = await db('workspaces')
    .where({ unverified_owner_id: userId })
    .update({ unverified_owner_id: null })
    .returning('id');
  return row?.id ?? null;
}

/** Deletes the workspace of an unverified owner and everything in it. */
export async function deleteUnverifiedWorkspace(db: Knex, userId: string): Promise<void> {
  await db('workspaces').where({ unverified_owner_id: userId }).delete();
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
    ? await trx('workspaces').select('id', 'name').where({ id }).whereNull('test_of').forNoKeyUpdate().first()
    : undefined;
  if (!row) throw new Refusal('not_found', { what: 'workspace' });
  return toWorkspaceTarget(row);
}
