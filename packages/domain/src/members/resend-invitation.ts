import { Refusal } from '../errors.js';
import { newInvitationLink } from './invitation-link.js';
import { findInvitedMember, renewInvitation } from './invitation-store.js';
import { type InviteContext, type Inviter, mailInvitation } from './mail-invitation.js';
import type { Member } from './member.js';
import { memberNotFound } from './member-refusals.js';
import { findJoinedMember } from './member-store.js';

/**
 * Mails an invitation once more, with a new link that works as long as the first did; the first
 * works no more.
 * @param id of the invitation
 * @throws Refusal not_found; conflict for a member; rate_limited; whatever keeps the mail from being
 *   accepted
 */
export async function resendInvitation(ctx: InviteContext, inviting: Inviter & { id: string }): Promise<Member> {
  const { caller, id } = inviting;
  const workspaceId = caller.workspace.id;
  const { email } = (await findInvitedMember(ctx.db, workspaceId, id)) ?? (await refuseOthers(ctx, workspaceId, id));
  await ctx.invitationThrottle.count({ workspaceId, email });
  const { url, tokenHash, expiresAt } = newInvitationLink(ctx);
  const renewed = await renewInvitation(ctx.db, workspaceId, { id, tokenHash, expiresAt });
  if (!renewed) throw memberNotFound();
  await mailInvitation(inviting, { email, url });
  return renewed;
}

async function refuseOthers({ db }: Pick<InviteContext, 'db'>, workspaceId: string, id: string): Promise<never> {
  const member = await findJoinedMember(db, workspaceId, id);
  if (!member) throw memberNotFound();
  throw new Refusal('conflict', { reason: 'This is a member already; only an invitation can be sent again.' });
}
