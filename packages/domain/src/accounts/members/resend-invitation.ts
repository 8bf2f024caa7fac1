import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import { Refusal } from '@posthorn/domain/errors';
import { lockWorkspace } from '@posthorn/domain/workspaces';
import { assertVerified } from '../assert-verified.js';
import { memberTarget } from './describe-member.js';
import { countInvitation } from './invitation-limits.js';
import { type InvitationLink, newInvitationLink } from './invitation-link.js';
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
export async function resendInvitation(
  ctx: InviteContext,
  actor: Actor,
  invite: Inviter & { id: string },
): Promise<Member> {
  const { caller, id } = invite;
  assertVerified(caller);
  const workspaceId = caller.workspace.id;
  const { email } = (await findInvitedMember(ctx.db, workspaceId, id)) ?? (await throwNotInvited(ctx, workspaceId, id));
  await countInvitation(ctx, { workspaceId, email });
  const link = newInvitationLink(ctx);
  const renewed = await replaceLink(ctx, actor, { workspaceId, id, link });
  await mailInvitation(invite, { email, url: link.url });
  return renewed;
}

function replaceLink(
  ctx: InviteContext,
  actor: Actor,
  { workspaceId, id, link }: { workspaceId: string; id: string; link: InvitationLink },
): Promise<Member> {
  return ctx.db.transaction(async (trx) => {
    await lockWorkspace(trx, workspaceId);
    const earlier = await findInvitedMember(trx, workspaceId, id);
    const renewed = earlier && (await renewInvitation(trx, workspaceId, { id, ...link }));
    if (!renewed) throw memberNotFound();
    await recordChange(trx, actor, {
      workspaceId,
      action: 'member.invitation_resent',
      target: memberTarget(renewed),
      before: { link: 'earlier link', expires_at: earlier.expiresAt.toISOString() },
      after: { link: 'new link', expires_at: renewed.expiresAt.toISOString() },
    });
    return renewed;
  });
}

async function throwNotInvited({ db }: Pick<InviteContext, 'db'>, workspaceId: string, id: string): Promise<never> {
  const member = await findJoinedMember(db, workspaceId, id);
  if (!member) throw memberNotFound();
  throw new Refusal('conflict', { reason: 'This person is already a member. Only an invitation can be resent.' });
}
