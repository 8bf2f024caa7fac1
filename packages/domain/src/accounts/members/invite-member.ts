import { type Actor, recordChange, system } from '@posthorn/domain/audit-log';
import { Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { lockWorkspace } from '@posthorn/domain/workspaces';
import { newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import { assertVerified } from '../assert-verified.js';
import type { Role } from '../caller.js';
import { describeMember, memberTarget } from './describe-member.js';
import { countInvitation } from './invitation-limits.js';
import { newInvitationLink } from './invitation-link.js';
import { type InvitedMember, insertInvitation } from './invitation-store.js';
import { listMembers } from './list-members.js';
import { type InviteContext, type Inviter, mailInvitation } from './mail-invitation.js';
import type { Member } from './member.js';
import { hasJoined } from './member-store.js';
import { removeInvitation } from './remove-invitation.js';

/**
 * Invites an address to the caller's workspace by mail, whether or not the address has an account.
 * @param invite.email as `readAccountEmail` returns it
 * @throws Refusal account_not_verified; conflict when the address is already a member or invited, or the workspace is
 *   at its limit; rate_limited; any refusal of the mail, in which case the invitation is deleted again
 */
export async function inviteMember(
  ctx: InviteContext,
  actor: Actor,
  invite: Inviter & { email: string; role: Role },
): Promise<Member> {
  const { caller, email, role } = invite;
  assertVerified(caller);
  const workspaceId = caller.workspace.id;
  await countInvitation(ctx, { workspaceId, email });
  const { url, tokenHash, expiresAt } = newInvitationLink(ctx);
  const invited: InvitedMember = { id: newId(), email, role, createdAt: ctx.now(), expiresAt };
  await ctx.db.transaction((trx) => addInvitation(trx, actor, workspaceId, { ...invited, tokenHash }));
  await mailInvitation(invite, { email, url }).catch(async (fault) => {
    // The audit log says that the service removed the invitation, because nobody asked for it.
    await ctx.db.transaction((trx) => removeInvitation(trx, system, workspaceId, invited.id));
    throw fault;
  });
  ctx.log.info({ workspaceId, invitationId: invited.id, userId: caller.user.id }, 'member_invited');
  return invited;
}

async function addInvitation(
  trx: Knex.Transaction,
  actor: Actor,
  workspaceId: string,
  invited: InvitedMember & { tokenHash: Buffer },
): Promise<void> {
  await lockWorkspace(trx, workspaceId);
  if (await hasJoined(trx, workspaceId, invited.email)) {
    throw conflict('This email address already belongs to a member.');
  }
  if ((await listMembers({ db: trx }, workspaceId)).length >= limits.members.max) throw tooManyMembers();
  if (!(await insertInvitation(trx, workspaceId, invited))) {
    throw conflict('This email address is already invited. Resend that invitation, or remove it first.');
  }
  const [target, after] = [memberTarget(invited), describeMember(invited)];
  await recordChange(trx, actor, { workspaceId, action: 'member.invited', target, before: null, after });
}

function tooManyMembers(): Refusal {
  return conflict(
    `The workspace has reached the limit of ${limits.members.max} members, including invited members. Remove one first.`,
  );
}

function conflict(reason: string): Refusal {
  return new Refusal('conflict', { reason });
}
