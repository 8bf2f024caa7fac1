import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import type { Knex } from 'knex';
import { deleteAllInvitations, deleteOtherMembers, revokeAllKeys } from './earlier-access-store.js';

/**
 * How many keys, members and invitations were removed from a workspace, and how many of the user's sessions were ended.
 */
export type RemovedAccess = {
  readonly keys: number;
  readonly sessions: number;
  readonly members: number;
  readonly invitations: number;
};

type EarlierAccess = {
  readonly actor: Actor;
  readonly workspaceId: string;
  /** The only user who keeps access. */
  readonly userId: string;
  readonly now: Date;
};

/**
 * Revokes the keys of a workspace, and deletes its invitations and all members except the user, along with the sessions
 * of those members in the workspace. Every transaction that adds a key, member or invitation locks the workspace, so
 * the caller must have locked it too.
 */
export async function removeEarlierAccess(
  trx: Knex.Transaction,
  { actor, workspaceId, userId, now }: EarlierAccess,
): Promise<Omit<RemovedAccess, 'sessions'>> {
  const keys = await revokeAllKeys(trx, workspaceId, now);
  for (const { id, name } of keys) {
    await recordChange(trx, actor, {
      workspaceId,
      action: 'api_key.revoked',
      target: { type: 'api_key', id, label: name },
      before: { revoked_at: null },
      after: { revoked_at: now.toISOString() },
    });
  }
  const members = await deleteOtherMembers(trx, workspaceId, userId);
  for (const { id, email, role } of members) {
    const target = { type: 'member', id, label: email } as const;
    await recordChange(trx, actor, {
      workspaceId,
      action: 'member.removed',
      target,
      before: { email, role },
      after: null,
    });
  }
  const invitations = await deleteAllInvitations(trx, workspaceId);
  for (const { id, email, role } of invitations) {
    const [target, before] = [{ type: 'invitation', id, label: email } as const, { email, role }];
    await recordChange(trx, actor, { workspaceId, action: 'member.invitation_removed', target, before, after: null });
  }
  return { keys: keys.length, members: members.length, invitations: invitations.length };
}
