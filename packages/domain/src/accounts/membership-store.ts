import {
  joinWorkspace,
  toWorkspace,
  type Workspace,
  type WorkspaceRow,
  workspaceColumns,
} from '@posthorn/domain/workspaces';
import type { Knex } from 'knex';
import type { Role } from './caller.js';

type MembershipKey = { workspaceId: string; userId: string };

export type Membership = MembershipKey & { role: Role };

export async function insertMembership(db: Knex, membership: Membership & { createdAt: Date }): Promise<void> {
  await db('memberships').insert({
    workspace_id: membership.workspaceId,
    user_id: membership.userId,
    role: membership.role,
    created_at: membership.createdAt,
  });
}

/** The workspace that a user joined first. New sessions start there. */
export async function findFirstWorkspaceId(db: Knex, userId: string): Promise<string | null> {
  const row = await db('memberships')
    .select('workspace_id')
    .where({ user_id: userId })
    .orderBy(['created_at', 'workspace_id'])
    .first();
  return row?.workspace_id ?? null;
}

/** A workspace that a user belongs to, with the user's role in it. */
export type OwnWorkspace = { readonly workspace: Workspace; readonly role: Role };

/** All workspaces of a user, in the order in which the user joined them. */
export async function listUserWorkspaces(db: Knex, userId: string, defaultRate: number): Promise<OwnWorkspace[]> {
  const query = db('memberships')
    .select('memberships.role')
    .select(workspaceColumns(db))
    .where('memberships.user_id', userId)
    .orderBy(['memberships.created_at', 'memberships.workspace_id']);
  const rows: Array<WorkspaceRow & { role: Role }> = await joinWorkspace(query, 'memberships.workspace_id');
  return rows.map((row) => ({ workspace: toWorkspace(row, defaultRate), role: row.role }));
}

/** Keeps a membership from being deleted before the transaction ends. @returns false if there is no such membership */
export async function lockMembership(trx: Knex, { workspaceId, userId }: MembershipKey): Promise<boolean> {
  const found = await trx('memberships')
    .select('user_id')
    .where({ workspace_id: workspaceId, user_id: userId })
    .forKeyShare();
  return found.length > 0;
}

/** The live workspace that a live or test workspace belongs to, and the addresses of its owners. */
export async function findOwners(db: Knex, workspaceId: string): Promise<{ liveId: string; owners: string[] }> {
  const { rows } = await db.raw(
    `select coalesce(test_of, workspaces.id) as "liveId", array_remove(array_agg(users.email), null) as owners
     from workspaces
     left join memberships on memberships.workspace_id = coalesce(test_of, workspaces.id) and role = 'owner'
     left join users on users.id = user_id
     where workspaces.id = ? group by 1`,
    [workspaceId],
  );
  return rows[0];
}
