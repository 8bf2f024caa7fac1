import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import { formatCountOf } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import { deleteAllInvitations, deleteOtherMembers, revokeAllKeys } from './earlier-access-store.js';
import { layOutMail } from './system-mail.js';

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

/** "2 API keys, 1 other member and 1 invitation" */
export function describeRemovedAccess({ keys, sessions, members, invitations }: RemovedAccess): string {
  const counts: ReadonlyArray<readonly [number, string]> = [
    [keys, 'API key'],
    [sessions, 'session'],
    [members, 'other member'],
    [invitations, 'invitation'],
  ];
  const parts = counts.filter(([count]) => count > 0).map(([count, what]) => formatCountOf(count, what));
  const last = parts.pop() ?? 'nothing';
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
}

/** @param removed what was removed, such as "2 API keys and 1 invitation" */
export function buildAccessRemovedMail(removed: string) {
  return layOutMail({
    subject: 'Earlier access to your account was removed',
    before: [
      `You set a new password for your Posthorn account, which confirmed your email address for the first time. Someone else may have created the account with your address, so we removed everything that could give them access: ${removed}.`,
    ],
    after: [
      'Emails, templates and domains are unchanged. If one of your programs used a removed API key, create a new key for it.',
    ],
  });
}
