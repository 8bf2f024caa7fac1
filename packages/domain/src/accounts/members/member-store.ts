import type { Role } from '@posthorn/contract';
import { addressKey } from '@posthorn/domain/format';
import type { Knex } from 'knex';
import type { Member } from './member.js';

/** The members who have joined, newest first. */
export async function listJoinedMembers(db: Knex, workspaceId: string): Promise<Member[]> {
  const rows = await joinedMembers(db, workspaceId).orderBy([
    { column: 'memberships.created_at', order: 'desc' },
    { column: 'users.id', order: 'desc' },
  ]);
  return rows.map(toMember);
}

export async function findJoinedMember(db: Knex, workspaceId: string, userId: string): Promise<Member | null> {
  const row = await joinedMembers(db, workspaceId).where('users.id', userId).first();
  return row ? toMember(row) : null;
}

export async function hasJoined(db: Knex, workspaceId: string, email: string): Promise<boolean> {
  const row = await joinedMembers(db, workspaceId)
    .whereRaw('lower(users.email) = ?', [addressKey(email)])
    .first();
  return row !== undefined;
}

function joinedMembers(db: Knex, workspaceId: string) {
  return db('memberships')
    .select('users.id', 'users.email', 'memberships.role', 'memberships.created_at')
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

function toMember(row: { id: string; email: string; role: Role; created_at: Date }): Member {
  return { id: row.id, email: row.email, role: row.role, createdAt: row.created_at, expiresAt: null };
}
