import type { Role } from '@posthorn/contract';
import { type Actor, recordChange, system } from '@posthorn/domain/audit-log';
import { conflict, refuseOneMore } from '@posthorn/domain/errors';
import { toMailboxKey } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import { countShared, perDay } from '@posthorn/domain/throttles';
import { lockWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { createToken, hashToken, sha256Hex } from '@posthorn/platform/secrets';
import { DAY_MS, newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import { assertVerified, type SessionCaller } from './caller.js';
import type { LimitContext } from './login-limits.js';
import {
  findInvitedMember,
  findJoinedMember,
  hasJoined,
  type InvitedMember,
  insertInvitation,
  listMembers,
  type Member,
  renewInvitation,
} from './member-store.js';
import { describeMember, refuseUnknownMember, removeInvitation, toMemberTarget } from './members.js';
import { layOutMail, quoteAddress, quoteName, type SendMail } from './system-mail.js';
import { findUserByEmail } from './user-store.js';

/** The inviting caller, and a function that sends mail. */
export type Inviter = {
  readonly caller: SessionCaller;
  readonly sendMail: SendMail;
};

type InviteContext = Pick<Context, 'config' | 'db' | 'log' | 'now'> & LimitContext;

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
  const { url, tokenHash, expiresAt } = createInvitationLink(ctx);
  const invited: InvitedMember = { id: newId(), email, role, createdAt: ctx.now(), expiresAt };
  await ctx.db.transaction((trx) => addInvitation(trx, actor, workspaceId, { ...invited, tokenHash }));
  await mailInvitation(ctx, invite, { email, url }).catch(async (fault) => {
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
  if ((await listMembers({ db: trx }, workspaceId)).length >= limits.members.max)
    throw refuseOneMore(limits.members, 'members, including invited members. Remove one first.');
  if (!(await insertInvitation(trx, workspaceId, invited))) {
    throw conflict('This email address is already invited. Resend that invitation, or remove it first.');
  }
  const [target, after] = [toMemberTarget(invited), describeMember(invited)];
  await recordChange(trx, actor, { workspaceId, action: 'member.invited', target, before: null, after });
}

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
  const link = createInvitationLink(ctx);
  const renewed = await replaceLink(ctx, actor, { workspaceId, id, link });
  await mailInvitation(ctx, invite, { email, url: link.url });
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
    if (!renewed) throw refuseUnknownMember();
    await recordChange(trx, actor, {
      workspaceId,
      action: 'member.invitation_resent',
      target: toMemberTarget(renewed),
      before: { link: 'earlier link', expires_at: earlier.expiresAt.toISOString() },
      after: { link: 'new link', expires_at: renewed.expiresAt.toISOString() },
    });
    return renewed;
  });
}

async function throwNotInvited({ db }: Pick<InviteContext, 'db'>, workspaceId: string, id: string): Promise<never> {
  const member = await findJoinedMember(db, workspaceId, id);
  if (!member) throw refuseUnknownMember();
  throw conflict('This person is already a member. Only an invitation can be resent.');
}

type InvitationLink = { readonly url: string; readonly tokenHash: Buffer; readonly expiresAt: Date };

/** Creates a new link. Only the hash of its token is stored. */
function createInvitationLink({ config, now }: Pick<Context, 'config' | 'now'>): InvitationLink {
  const token = createToken();
  return {
    url: `${config.publicUrl}/accept-invitation?token=${token}`,
    tokenHash: hashToken(token),
    expiresAt: new Date(now().getTime() + limits.invitationDays.max * DAY_MS),
  };
}

/**
 * The mail is sent in our name, so text that users wrote is quoted, and the subject contains none of it. Someone who has
 * no confirmed account here gets no such text at all, only the inviter's address, which is confirmed. Resolves once the
 * mail is accepted. It is then delivered like any other email.
 */
async function mailInvitation(
  { db }: Pick<Context, 'db'>,
  { caller: { user, workspace }, sendMail }: Inviter,
  { email, url }: { email: string; url: string },
): Promise<void> {
  const account = await findUserByEmail(db, email);
  const name = account?.emailVerified ? ` named ${quoteName(workspace.name)}` : '';
  const invitation = `${quoteAddress(user.email)} invited you to a Posthorn workspace${name}. To join it, open this link within ${limits.invitationDays.max} days:`;
  const mail = layOutMail({
    subject: 'You have been invited to a workspace',
    before: [invitation],
    link: { label: 'Join the workspace', url },
    after: ['The link works once. If you do not know the person who invited you, ignore this email.'],
  });
  await sendMail({ to: email, ...mail });
}

const byWorkspace = perDay(limits.invitationMails.max, 'invitations from one workspace');
const toAddress = perDay(limits.invitationMailsToAddress.max, 'invitations to one address');

/**
 * Counts an invitation before it is mailed. These limits keep users from mailing many people in our name, or one
 * person many times.
 * @throws Refusal rate_limited
 */
async function countInvitation(
  ctx: LimitContext,
  { workspaceId, email }: { readonly workspaceId: string; readonly email: string },
): Promise<void> {
  await countShared(ctx, byWorkspace, `invitation:workspace:${workspaceId}`);
  await countShared(ctx, toAddress, `invitation:address:${sha256Hex(toMailboxKey(email))}`);
}
