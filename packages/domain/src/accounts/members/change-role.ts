import type { Role } from '@posthorn/contract';
import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import { lockWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { memberTarget } from './describe-member.js';
import { findInvitedMember, updateInvitedRole } from './invitation-store.js';
import type { Member } from './member.js';
import { lastOwner, memberNotFound } from './member-refusals.js';
import { findJoinedMember, hasOtherOwner, updateRole } from './member-store.js';

export type ChangeRole = { workspaceId: string; id: string; role: Role };

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
    if (!member) throw memberNotFound();
    if (joined && role !== 'owner' && !(await hasOtherOwner(trx, workspaceId, id))) throw lastOwner();
    await (joined ? updateRole : updateInvitedRole)(trx, workspaceId, id, role);
    await recordChange(trx, actor, {
      workspaceId,
      action: 'member.role_changed',
      target: memberTarget(member),
      before: { role: member.role },
      after: { role },
    });
    return { ...member, role };
  });
}
