import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import { Refusal } from '@posthorn/domain/errors';
import { lockWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import type { Knex } from 'knex';
import type { SessionCaller } from '../caller.js';
import { describeMember, memberTarget } from './describe-member.js';
import { lastOwner, memberNotFound } from './member-refusals.js';
import { deleteMembership, findJoinedMember, hasOtherOwner } from './member-store.js';
import { removeInvitation } from './remove-invitation.js';

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
  if (!member) throw memberNotFound();
  if (!(await hasOtherOwner(trx, workspaceId, id))) throw lastOwner();
  await deleteMembership(trx, workspaceId, id);
  const [target, before] = [memberTarget(member), describeMember(member)];
  await recordChange(trx, actor, { workspaceId, action: 'member.removed', target, before, after: null });
}
