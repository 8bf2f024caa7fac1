import { clearUnverifiedOwners } from '@posthorn/domain/workspaces';
import type { Knex } from 'knex';

/**
 * Closes the workspaces of unverified users, who must be locked: their keys, sessions, webhooks and invitations stop
 * working at once, and nobody is a member any more. Workers delete them later (retention/closed-workspaces-store.ts),
 * because that can take longer than a request. Every transaction that adds a key, member, invitation or webhook locks
 * the workspace, and finds it closed.
 * @returns the ids of the workspaces
 */
export async function closeUnverifiedWorkspaces(trx: Knex, userIds: readonly string[], now: Date): Promise<string[]> {
  const ids = await clearUnverifiedOwners(trx, userIds);
  await trx('workspaces').whereIn('id', ids).update({ closed_at: now });
  await trx('api_keys').whereIn('workspace_id', ids).update({ revoked_at: now });
  // The sessions in a workspace end with the membership.
  await trx('memberships').whereIn('workspace_id', ids).delete();
  await trx('invitations').whereIn('workspace_id', ids).delete();
  const withTestWorkspaces = trx('workspaces').select('id').whereIn('id', ids).orWhereIn('test_of', ids);
  await trx('webhooks')
    .whereIn('workspace_id', withTestWorkspaces)
    .update({ status: 'disabled', owner_notification_id: null });
  return ids;
}
