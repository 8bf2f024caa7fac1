import type { Knex } from 'knex';

/**
 * How many keys, members and invitations were removed from a workspace, and how many of the user's sessions were ended.
 */
export type RemovedAccess = {
  readonly keys: number;
  readonly sessions: number;
  readonly members: number;
  readonly invitations: number;
};

/**
 * Revokes the keys of a workspace, and deletes its invitations and all members except the user, along with the sessions
 * of those members in the workspace. Every transaction that adds a key, member or invitation locks the workspace, so
 * the caller must have locked it too.
 */
export async function removeEarlierAccess(
  trx: Knex,
  { workspaceId, userId, now }: { workspaceId: string; userId: string; now: Date },
): Promise<Omit<RemovedAccess, 'sessions'>> {
  const inWorkspace = { workspace_id: workspaceId };
  return {
    keys: await trx('api_keys')
      .where({ ...inWorkspace, revoked_at: null })
      .update({ revoked_at: now }),
    members: await trx('memberships').where(inWorkspace).whereNot({ user_id: userId }).delete(),
    invitations: await trx('invitations').where(inWorkspace).delete(),
  };
}
