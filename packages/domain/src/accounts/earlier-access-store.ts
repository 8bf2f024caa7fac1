import type { Role } from '@posthorn/contract';
import type { Knex } from 'knex';

type RemovedMember = { readonly id: string; readonly email: string; readonly role: Role };

/** @returns the keys that were not revoked before */
export async function revokeAllKeys(
  trx: Knex,
  workspaceId: string,
  now: Date,
): Promise<Array<{ id: string; name: string }>> {
  return trx('api_keys')
    .where({ workspace_id: workspaceId, revoked_at: null })
    .update({ revoked_at: now })
    .returning(['id', 'name']);
}

/** Deletes all members except the user, along with the sessions of those members in the workspace. */
export async function deleteOtherMembers(trx: Knex, workspaceId: string, userId: string): Promise<RemovedMember[]> {
  const { rows } = await trx.raw(
    `delete from memberships using users
     where workspace_id = ? and user_id <> ? and users.id = user_id
     returning users.id, users.email, memberships.role`,
    [workspaceId, userId],
  );
  return rows;
}

export async function deleteAllInvitations(trx: Knex, workspaceId: string): Promise<RemovedMember[]> {
  return trx('invitations').where({ workspace_id: workspaceId }).delete().returning(['id', 'email', 'role']);
}
