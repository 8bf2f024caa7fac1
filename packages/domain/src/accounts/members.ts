import type { AuditTarget, Role } from '@posthorn/contract';
import { type Actor, type AuditedFields, recordChange } from '@posthorn/domain/audit-log';
import { conflict, Refusal } from '@posthorn/domain/errors';
import { lockWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import type { Knex } from 'knex';
import type { SessionCaller } from './caller.js';
import {
  deleteInvitation,
  deleteMembership,
  findInvitedMember,
  findJoinedMember,
  hasOtherOwner,
  type Member,
  updateInvitedRole,
  updateRole,
} from './member-store.js';

type ChangeRole = { workspaceId: string; id: string; role: Role };

/**
 * Changes a member's role immediately, or the role that an invited member will get.
 * @throws Refusal not_found; conflict when the workspace would have no owner
 */
export async function changeRole(
  ctx: Pick<Context, 'db'>,
  actor: Actor,
  { workspaceId, id, role }: ChangeRole,
): Promise<Member> {
  return ctx.db.transaction(async (trx) => {
    await lockWorkspace(trx, workspaceId);
    const joined = await findJoinedMember(trx, workspaceId, id);
    const member = joined ?? (await findInvitedMember(trx, workspaceId, id));
    if (!member) throw refuseUnknownMember();
    if (joined && role !== 'owner' && !(await hasOtherOwner(trx, workspaceId, id))) throw lastOwner();
    await (joined ? updateRole : updateInvitedRole)(trx, workspaceId, id, role);
    await recordChange(trx, actor, {
      workspaceId,
      action: 'member.role_changed',
      target: toMemberTarget(member),
      before: { role: member.role },
      after: { role },
    });
    return { ...member, role };
  });
}

/**
 * Removes a member from the caller's workspace and ends the member's sessions there, or deletes an invitation. Owners
 * may remove any member; other members may remove only themselves.
 * @throws Refusal owner_required; not_found; conflict when the workspace would have no owner
 */
export async function removeMember(
  ctx: Pick<Context, 'db' | 'log'>,
  actor: Actor,
  { caller, id }: { caller: SessionCaller; id: string },
): Promise<void> {
  const { user, workspace } = caller;
  if (user.role !== 'owner' && user.id !== id) throw new Refusal('owner_required');
  await ctx.db.transaction(async (trx) => {
    await lockWorkspace(trx, workspace.id);
    if (await removeInvitation(trx, actor, workspace.id, id)) return;
    await removeJoined(trx, actor, workspace.id, id);
  });
  ctx.log.info({ workspaceId: workspace.id, memberId: id, userId: user.id }, 'member_removed');
}

async function removeJoined(trx: Knex.Transaction, actor: Actor, workspaceId: string, id: string): Promise<void> {
  const member = await findJoinedMember(trx, workspaceId, id);
  if (!member) throw refuseUnknownMember();
  if (!(await hasOtherOwner(trx, workspaceId, id))) throw lastOwner();
  await deleteMembership(trx, workspaceId, id);
  const [target, before] = [toMemberTarget(member), describeMember(member)];
  await recordChange(trx, actor, { workspaceId, action: 'member.removed', target, before, after: null });
}

/** Deletes an invitation, so that its link stops working. @returns false when there is no such invitation */
export async function removeInvitation(
  trx: Knex.Transaction,
  actor: Actor,
  workspaceId: string,
  id: string,
): Promise<boolean> {
  const invited = await deleteInvitation(trx, workspaceId, id);
  if (!invited) return false;
  const [target, before] = [toMemberTarget(invited), describeMember(invited)];
  await recordChange(trx, actor, { workspaceId, action: 'member.invitation_removed', target, before, after: null });
  return true;
}

export function refuseUnknownMember(): Refusal {
  return new Refusal('not_found', { what: 'member or invitation' });
}

function lastOwner(): Refusal {
  return conflict('This is the last owner, and a workspace needs at least one. Make another member an owner first.');
}

/** What the audit log says about a member or an invitation. */
export function describeMember({ email, role, expiresAt }: Omit<Member, 'id' | 'createdAt'>): AuditedFields {
  return { email, role, expires_at: expiresAt?.toISOString() };
}

/** An invitation has another id than the member that it becomes. */
export function toMemberTarget({ id, email, expiresAt }: Pick<Member, 'id' | 'email' | 'expiresAt'>): AuditTarget {
  return { type: expiresAt === null ? 'member' : 'invitation', id, label: email };
}
