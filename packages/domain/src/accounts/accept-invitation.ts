import { recordChange, toUserActor } from '@posthorn/domain/audit-log';
import { conflict, invalid, Refusal } from '@posthorn/domain/errors';
import { MIN_PASSWORD_CHARACTERS } from '@posthorn/domain/limits';
import { lockWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { hashToken } from '@posthorn/platform/secrets';
import { newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import { findKnownDevice } from './known-device.js';
import { authenticateUser } from './log-in.js';
import type { LimitContext } from './login-limits.js';
import { consumeInvitation, findInvitation, type Invitation, insertMembership } from './member-store.js';
import { describeMember, toMemberTarget } from './members.js';
import { hashPassword } from './password-hash.js';
import { openSession } from './sessions.js';
import { findUserByEmail, insertUser, lockPassword, lockUser, type User } from './user-store.js';
import { verifyAccount } from './verify-email.js';

/**
 * What to show on the page that the link opens. `hasAccount` decides whether the page asks for the existing password or
 * a new one.
 */
export type InvitationDetails = { readonly invitation: Invitation; readonly hasAccount: boolean };

/**
 * Reads the invitation that a link's token belongs to, without using up the link.
 * @throws Refusal validation_failed for a token that is unknown, used, expired or revoked
 */
export async function readInvitation(ctx: Pick<Context, 'db' | 'now'>, token: string): Promise<InvitationDetails> {
  const invitation = await findInvitation(ctx.db, hashToken(token), ctx.now());
  if (!invitation) throw unknownInvitation();
  return { invitation, hasAccount: (await findUserByEmail(ctx.db, invitation.email)) !== null };
}

function unknownInvitation(): Refusal {
  return invalid({
    field: 'token',
    message: 'is invalid, expired or already used. Ask an owner of the workspace to send the invitation again',
  });
}

type AcceptInvitation = {
  token: string;
  password: string;
  /** The client's network, for limits. */
  peer: string;
  /** The client's IP address, for the audit log. */
  ip: string | null;
  /** The cookie that an earlier login set, if the client has one. */
  deviceToken: string | null;
};

type AcceptingContext = Pick<Context, 'config' | 'db' | 'log' | 'now'> & LimitContext;

/**
 * Makes the invited person a member of the workspace. If the address has no account, one is created with this password,
 * even while sign-up is closed. If it has one, the password must be that account's, because the link alone must not
 * give access to an account. The link was mailed to the address, so this also verifies the address.
 * @returns the token of a session in that workspace
 * @throws Refusal validation_failed for a link that does not work, or a new password that is too short;
 *   invalid_login, rate_limited; conflict when an account was created for the address in the meantime
 */
export async function acceptInvitation(ctx: AcceptingContext, accept: AcceptInvitation): Promise<string> {
  const { invitation, hasAccount } = await readInvitation(ctx, accept.token);
  const { email, workspaceId } = invitation;
  const user = hasAccount ? await existingUser(ctx, email, accept) : await newUser(email, accept);
  const now = ctx.now();
  await ctx.db.transaction(async (trx) => {
    await lockWorkspace(trx, workspaceId);
    const taken = await consumeInvitation(trx, hashToken(accept.token), now);
    if (!taken) throw unknownInvitation();
    if (hasAccount) await verifyExisting(trx, user, now);
    else if (!(await insertUser(trx, { ...user, createdAt: now, emailVerifiedAt: now, signupSource: null }))) {
      throw conflict(
        'An account was created for this email address in the meantime. Accept the invitation again with the password of that account.',
      );
    }
    const { role } = taken;
    await insertMembership(trx, { workspaceId, userId: user.id, role, createdAt: now });
    const joined = { id: user.id, email: user.email, role, expiresAt: null };
    await recordChange(trx, toUserActor(user, accept.ip), {
      workspaceId,
      action: 'member.joined',
      target: toMemberTarget(joined),
      before: null,
      after: describeMember(joined),
    });
  });
  ctx.log.info({ workspaceId, invitationId: invitation.id, userId: user.id }, 'invitation_accepted');
  return openSession(ctx, { user, workspaceId });
}

type InvitedUser = Pick<User, 'id' | 'email' | 'passwordHash'>;

function existingUser(ctx: AcceptingContext, email: string, accept: AcceptInvitation): Promise<InvitedUser> {
  const { password, peer, deviceToken } = accept;
  const device = findKnownDevice(ctx, deviceToken, email);
  return authenticateUser(ctx, { email, password, peer, device });
}

/** @throws Refusal invalid_login if the account was deleted or got another password since its password was checked */
async function verifyExisting(trx: Knex, { id, passwordHash }: InvitedUser, now: Date): Promise<void> {
  await lockUser(trx, id);
  if (!(await lockPassword(trx, id, passwordHash))) throw new Refusal('invalid_login');
  await verifyAccount(trx, id, now);
}

async function newUser(email: string, { password, peer }: AcceptInvitation): Promise<InvitedUser> {
  if (password.length < MIN_PASSWORD_CHARACTERS) {
    const message = `must have at least ${MIN_PASSWORD_CHARACTERS} characters; it has ${password.length}`;
    throw invalid({ field: 'password', message });
  }
  return { id: newId(), email, passwordHash: await hashPassword(password, peer) };
}
