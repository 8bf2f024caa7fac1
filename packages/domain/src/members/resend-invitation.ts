import { assertVerified } from '../accounts/assert-verified.js';
import { Refusal } from '../errors.js';
import { newInvitationLink } from './invitation-link.js';
import { findInvitedMember, renewInvitation } from './invitation-store.js';
import { type InviteContext, type Inviter, mailInvitation } from './mail-invitation.js';
import type { Member } from './member.js';
import { memberNotFound } from './member-refusals.js';
import { findJoinedMember } from './member-store.js';

/**
 * Mails an invitation again, with a new link that is valid for the full period. The earlier link stops working.
 * @param invite.id id of the invitation
 * @throws Refusal account_not_verified; not_found; conflict if the person has already joined; rate_limited; any refusal
 *   of the mail
 */
export async function resendInvitation(ctx: InviteContext, invite: Inviter & { id: string }): Promise<Member> {
  const { caller, id } = invite;
  assertVerified(caller);
  const workspaceId = caller.workspace.id;
  const { email } = (await findInvitedMember(ctx.db, workspaceId, id)) ?? (await throwNotInvited(ctx, workspaceId, id));
  await ctx.invitationLimiter.count({ workspaceId, email });
  const { url, tokenHash, expiresAt } = newInvitationLink(ctx);
  const renewed = await renewInvitation(ctx.db, workspaceId, { id, tokenHash, expiresAt });
  if (!renewed) throw memberNotFound();
  await mailInvitation(invite, { email, url });
  return renewed;
}

async function throwNotInvited({ db }: Pick<InviteContext, 'db'>, workspaceId: string, id: string): Promise<never> {
  const member = await findJoinedMember(db, workspaceId, id);
  if (!member) throw memberNotFound();
  throw new Refusal('conflict', { reason: 'This person is already a member. Only an invitation can be resent.' });
}
