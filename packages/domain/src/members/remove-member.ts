import type { SessionCaller } from '../accounts/caller.js';
import type { Context } from '../context.js';
import { Refusal } from '../errors.js';
import { lockWorkspace } from '../workspaces/workspace-store.js';
import { deleteInvitation } from './invitation-store.js';
import { lastOwner, memberNotFound } from './member-refusals.js';
import { deleteMembership, findJoinedMember, hasOtherOwner } from './member-store.js';

/**
 * Takes a member out of the caller's workspace, whose sessions there end at once, or takes an
 * invitation back, whose link works no more. Owners may remove everybody, anybody himself.
 * @throws Refusal owner_required; not_found; conflict when no owner would be left
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
