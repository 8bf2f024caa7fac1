import type { Role } from '@posthorn/contract';
import type { Knex } from 'knex';
import type { Member } from './member.js';

/** A person who has been invited but has not joined yet. */
export type InvitedMember = Member & { readonly expiresAt: Date };

/** An invitation as shown on the page that its link opens. */
export type Invitation = InvitedMember & { readonly workspaceId: string; readonly workspaceName: string };

const columns = [
  'invitations.id',
  'invitations.email',
  'invitations.role',
  'invitations.created_at',
  'invitations.expires_at',
] as const;

/** @returns false, and writes nothing, when the address is already invited */
export async function insertInvitation(
  db: Knex,
  workspaceId: string,
  { tokenHash, ...invited }: InvitedMember & { tokenHash: Buffer },
): Promise<boolean> {
  const written = await db('invitations')
    .insert({
      id: invited.id,
      workspace_id: workspaceId,
      email: invited.email,
      role: invited.role,
      token_hash: tokenHash,
      created_at: invited.createdAt,
      expires_at: invited.expiresAt,
    })
    .onConflict(db.raw('(workspace_id, lower(email))'))
    .ignore()
    .returning('id');
  return written.length > 0;
}

/** Newest first, including invitations whose link has expired. */
export async function listInvitedMembers(db: Knex, workspaceId: string): Promise<InvitedMember[]> {
  const rows = await db('invitations').select(columns).where({ workspace_id: workspaceId }).orderBy('id', 'desc');
  return rows.map(toInvitedMember);
}

export async function findInvitedMember(db: Knex, workspaceId: string, id: string): Promise<InvitedMember | null> {
  const row = await db('invitations').select(columns).where({ workspace_id: workspaceId, id }).first();
  return row ? toInvitedMember(row) : null;
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
  return row ? toInvitedMember(row) : null;
}

/** @returns the invitation; null when there is none with this id */
export async function deleteInvitation(db: Knex, workspaceId: string, id: string): Promise<InvitedMember | null> {
  const [row] = await db('invitations').where({ workspace_id: workspaceId, id }).delete().returning(columns);
  return row ? toInvitedMember(row) : null;
}

/** @returns null when the link is unknown, used or expired */
export async function findInvitation(db: Knex, tokenHash: Buffer, now: Date): Promise<Invitation | null> {
  const row = await db('invitations')
    .select(columns)
    .select('workspaces.id as workspace_id', 'workspaces.name as workspace_name')
    .join('workspaces', 'workspaces.id', 'invitations.workspace_id')
    .where('invitations.token_hash', tokenHash)
    .where('invitations.expires_at', '>', now)
    .first();
  return row ? { ...toInvitedMember(row), workspaceId: row.workspace_id, workspaceName: row.workspace_name } : null;
}

/** Uses up a link, so that only one of several concurrent requests gets the invitation. */
export async function consumeInvitation(db: Knex, tokenHash: Buffer, now: Date): Promise<InvitedMember | null> {
  const [row] = await db('invitations')
    .where({ token_hash: tokenHash })
    .where('expires_at', '>', now)
    .delete()
    .returning(columns);
  return row ? toInvitedMember(row) : null;
}

function toInvitedMember(row: {
  id: string;
  email: string;
  role: Role;
  created_at: Date;
  expires_at: Date;
}): InvitedMember {
  return { id: row.id, email: row.email, role: row.role, createdAt: row.created_at, expiresAt: row.expires_at };
}
