import type { Role } from '@posthorn/contract';
import { toAddressKey } from '@posthorn/domain/format';
import {
  buildWorkspaceColumns,
  joinWorkspace,
  toWorkspace,
  type Workspace,
  type WorkspaceRow,
} from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { listColumns, toColumns } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';

/** A workspace member, or a person who has been invited. */
export type Member = {
  /** The user's id, or the invitation's id for an invited member. */
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  /** When the member joined or was invited. */
  readonly createdAt: Date;
  /** When the invitation link stops working; null for a member who has joined. */
  readonly expiresAt: Date | null;
};

type MembershipKey = { workspaceId: string; userId: string };

type Membership = MembershipKey & { role: Role };

export async function insertMembership(db: Knex, membership: Membership & { createdAt: Date }): Promise<void> {
  await db('memberships').insert(toColumns(membership));
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
    .select(buildWorkspaceColumns(db))
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

export type Owner = { readonly id: string; readonly email: string };

/** The live workspace that a live or test workspace belongs to, and its owners whose address is verified. */
export async function findOwners(db: Knex, workspaceId: string): Promise<{ liveId: string; owners: Owner[] }> {
  const { rows } = await db.raw(
    `select coalesce(test_of, workspaces.id) as "liveId",
       coalesce(
         json_agg(json_build_object('id', users.id, 'email', users.email)) filter (where email_verified_at is not null),
         '[]'
       ) as owners
     from workspaces
     left join memberships on memberships.workspace_id = coalesce(test_of, workspaces.id) and role = 'owner'
     left join users on users.id = user_id
     where workspaces.id = ? group by 1`,
    [workspaceId],
  );
  return rows[0];
}

/** The members who have joined, newest first. */
async function listJoinedMembers(db: Knex, workspaceId: string): Promise<Member[]> {
  return joinedMembers(db, workspaceId).orderBy([
    { column: 'memberships.created_at', order: 'desc' },
    { column: 'users.id', order: 'desc' },
  ]);
}

export async function findJoinedMember(db: Knex, workspaceId: string, userId: string): Promise<Member | null> {
  const row = await joinedMembers(db, workspaceId).where('users.id', userId).first();
  return row ?? null;
}

export async function hasJoined(db: Knex, workspaceId: string, email: string): Promise<boolean> {
  const row = await joinedMembers(db, workspaceId)
    .whereRaw('lower(users.email) = ?', [toAddressKey(email)])
    .first();
  return row !== undefined;
}

function joinedMembers(db: Knex, workspaceId: string) {
  return db('memberships')
    .select('users.id', 'users.email', 'memberships.role', 'memberships.created_at as createdAt')
    .select(db.raw('null as "expiresAt"'))
    .join('users', 'users.id', 'memberships.user_id')
    .where('memberships.workspace_id', workspaceId);
}

export async function updateRole(db: Knex, workspaceId: string, userId: string, role: Role): Promise<void> {
  await db('memberships').where({ workspace_id: workspaceId, user_id: userId }).update({ role });
}

/** Also ends the user's sessions in the workspace. */
export async function deleteMembership(db: Knex, workspaceId: string, userId: string): Promise<void> {
  await db('memberships').where({ workspace_id: workspaceId, user_id: userId }).delete();
}

export async function hasOtherOwner(db: Knex, workspaceId: string, userId: string): Promise<boolean> {
  const row = await db('memberships')
    .select('user_id')
    .where({ workspace_id: workspaceId, role: 'owner' })
    .whereNot({ user_id: userId })
    .first();
  return row !== undefined;
}

/** A person who has been invited but has not joined yet. */
export type InvitedMember = Member & { readonly expiresAt: Date };

/** An invitation as shown on the page that its link opens. */
export type Invitation = InvitedMember & { readonly workspaceId: string; readonly workspaceName: string };

const columns = listColumns('invitations', 'id email role createdAt expiresAt');

/** @returns false, and writes nothing, when the address is already invited */
export async function insertInvitation(
  db: Knex,
  workspaceId: string,
  invited: InvitedMember & { tokenHash: Buffer },
): Promise<boolean> {
  const written = await db('invitations')
    .insert(toColumns({ workspaceId, ...invited }))
    .onConflict(db.raw('(workspace_id, lower(email))'))
    .ignore()
    .returning('id');
  return written.length > 0;
}

/** Newest first, including invitations whose link has expired. */
async function listInvitedMembers(db: Knex, workspaceId: string): Promise<InvitedMember[]> {
  return db('invitations').select(columns).where({ workspace_id: workspaceId }).orderBy('id', 'desc');
}

export async function findInvitedMember(db: Knex, workspaceId: string, id: string): Promise<InvitedMember | null> {
  const row = await db('invitations').select(columns).where({ workspace_id: workspaceId, id }).first();
  return row ?? null;
}

export async function updateInvitedRole(db: Knex, workspaceId: string, id: string, role: Role): Promise<void> {
  await db('invitations').where({ workspace_id: workspaceId, id }).update({ role });
}

/** The earlier link stops working. @returns null when the invitation no longer exists */
export async function renewInvitation(
  db: Knex,
  workspaceId: string,
  { id, tokenHash, expiresAt }: { id: string; tokenHash: Buffer; expiresAt: Date },
): Promise<InvitedMember | null> {
  const [row] = await db('invitations')
    .where({ workspace_id: workspaceId, id })
    .update({ token_hash: tokenHash, expires_at: expiresAt })
    .returning(columns);
  return row ?? null;
}

/** @returns the invitation; null when there is none with this id */
export async function deleteInvitation(db: Knex, workspaceId: string, id: string): Promise<InvitedMember | null> {
  const [row] = await db('invitations').where({ workspace_id: workspaceId, id }).delete().returning(columns);
  return row ?? null;
}

/** @returns null when the link is unknown, used or expired */
export async function findInvitation(db: Knex, tokenHash: Buffer, now: Date): Promise<Invitation | null> {
  const row = await db('invitations')
    .select(columns)
    .select('workspaces.id as workspaceId', 'workspaces.name as workspaceName')
    .join('workspaces', 'workspaces.id', 'invitations.workspace_id')
    .where('invitations.token_hash', tokenHash)
    .where('invitations.expires_at', '>', now)
    .first();
  return row ?? null;
}

/** Uses up a link, so that only one of several concurrent requests gets the invitation. */
export async function consumeInvitation(db: Knex, tokenHash: Buffer, now: Date): Promise<InvitedMember | null> {
  const [row] = await db('invitations')
    .where({ token_hash: tokenHash })
    .where('expires_at', '>', now)
    .delete()
    .returning(columns);
  return row ?? null;
}

/** The invited members of a workspace, then the members who have joined. Both groups are sorted newest first. */
export async function listMembers({ db }: Pick<Context, 'db'>, workspaceId: string): Promise<Member[]> {
  return [...(await listInvitedMembers(db, workspaceId)), ...(await listJoinedMembers(db, workspaceId))];
}
