import type { SessionCaller } from '../accounts/caller.js';
import type { Context } from '../context.js';
import { Refusal } from '../errors.js';
import { lockWorkspace } from '../workspaces/workspace-store.js';
import { deleteInvitation } from './invitation-store.js';
import { lastOwner, memberNotFound } from './member-refusals.js';
import { deleteMembership, findJoinedMember, hasOtherOwner } from './member-store.js';

/**
 * Removes a member from the caller's workspace and ends the member's sessions there, or deletes an invitation. Owners
 * may remove any member; other members may remove only themselves.
 * @throws Refusal owner_required; not_found; conflict when the workspace would have no owner
 */
export async function removeMember(
  ctx: Pick<Context, 'db' | 'log'>,
  { caller, id }: { caller: SessionCaller; id: string },
): Promise<void> {
  const { user, workspace } = caller;
  if (user.role !== 'owner' && user.id !== id) throw new Refusal('owner_required');
  await ctx.db.transaction(async (trx) => {
    await lockWorkspace(trx, workspace.id);
    if (await deleteInvitation(trx, workspace.id, id)) return;
    if (!(await findJoinedMember(trx, workspace.id, id))) throw memberNotFound();
    if (!(await hasOtherOwner(trx, workspace.id, id))) throw lastOwner();
    await deleteMembership(trx, workspace.id, id);
  });
  ctx.log.info({ workspaceId: workspace.id, memberId: id, userId: user.id }, 'member_removed');
}
