import type { Role } from '../accounts/caller.js';
import { Refusal } from '../errors.js';
import { newId } from '../ids.js';
import { limits } from '../limits.js';
import { lockWorkspace } from '../workspaces/workspace-store.js';
import { newInvitationLink } from './invitation-link.js';
import { deleteInvitation, type InvitedMember, insertInvitation } from './invitation-store.js';
import { listMembers } from './list-members.js';
import { type InviteContext, type Inviter, mailInvitation } from './mail-invitation.js';
import type { Member } from './member.js';
import { hasJoined } from './member-store.js';

/**
 * Invites an address to the caller's workspace, whether or not it has an account, by mail.
 * @param email as `readAccountEmail` gives it
 * @throws Refusal conflict for who is a member or invited already, or when the workspace is full;
 *   rate_limited; whatever keeps the mail from being accepted, and then nobody is invited
 */
export async function inviteMember(
  ctx: InviteContext,
  inviting: Inviter & { email: string; role: Role },
): Promise<Member> {
  const { caller, email, role } = inviting;
  const workspaceId = caller.workspace.id;
  await ctx.invitationThrottle.count({ workspaceId, email });
  const { url, tokenHash, expiresAt } = newInvitationLink(ctx);
  const invited: InvitedMember = { id: newId(), email, role, createdAt: ctx.now(), expiresAt };
  await ctx.db.transaction(async (trx) => {
    await lockWorkspace(trx, workspaceId);
    if (await hasJoined(trx, workspaceId, email)) throw conflict('This address belongs to a member already.');
    if ((await listMembers({ db: trx }, workspaceId)).length >= limits.members.max) throw full();
    if (!(await insertInvitation(trx, workspaceId, { ...invited, tokenHash }))) {
      throw conflict('This address is invited already; send that invitation again, or remove it first.');
    }
  });
  await mailInvitation(inviting, { email, url }).catch(async (fault) => {
    await deleteInvitation(ctx.db, workspaceId, invited.id);
    throw fault;
  });
  ctx.log.info({ workspaceId, invitationId: invited.id, userId: caller.user.id }, 'member_invited');
  return invited;
}

function full(): Refusal {
  return conflict(
    `The workspace has ${limits.members.max} members, those who are invited included, the most it may have; remove one first.`,
  );
}

function conflict(reason: string): Refusal {
  return new Refusal('conflict', { reason });
}
