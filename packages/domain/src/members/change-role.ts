import type { Role } from '../accounts/caller.js';
import type { Context } from '../context.js';
import { lockWorkspace } from '../workspaces/workspace-store.js';
import { updateInvitedRole } from './invitation-store.js';
import type { Member } from './member.js';
import { lastOwner, memberNotFound } from './member-refusals.js';
import { findJoinedMember, hasOtherOwner, updateRole } from './member-store.js';

export type ChangeRole = { workspaceId: string; id: string; role: Role };

/**
 * Changes a member's role immediately, or the role that an invited member will get.
 * @throws Refusal not_found; conflict when the workspace would have no owner
 */
export async function changeRole(ctx: Pick<Context, 'db'>, { workspaceId, id, role }: ChangeRole): Promise<Member> {
  return ctx.db.transaction(async (trx) => {
    await lockWorkspace(trx, workspaceId);
    const member = await findJoinedMember(trx, workspaceId, id);
    if (!member) {
      const invited = await updateInvitedRole(trx, workspaceId, id, role);
      if (!invited) throw memberNotFound();
      return invited;
    }
    if (role !== 'owner' && !(await hasOtherOwner(trx, workspaceId, id))) throw lastOwner();
    await updateRole(trx, workspaceId, id, role);
    return { ...member, role };
  });
}
