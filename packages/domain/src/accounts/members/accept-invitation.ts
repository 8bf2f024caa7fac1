import { recordChange, userActor } from '@posthorn/domain/audit-log';
import { invalid, Refusal } from '@posthorn/domain/errors';
import { MIN_PASSWORD_CHARACTERS } from '@posthorn/domain/limits';
import { lockWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { hashToken } from '@posthorn/platform/secrets';
import { newId } from '@posthorn/platform/values';
import { authenticateUser } from '../authenticate-user.js';
import { findKnownDevice } from '../known-device.js';
import type { LimitContext } from '../login-limits.js';
import { insertMembership } from '../membership-store.js';
import { openSession } from '../open-session.js';
import { hashPassword } from '../passwords.js';
import { insertUser, type User } from '../user-store.js';
import { verifyAccount } from '../verify-account.js';
import { describeMember, memberTarget } from './describe-member.js';
import { consumeInvitation } from './invitation-store.js';
import { readInvitation, unknownInvitation } from './read-invitation.js';

export type AcceptInvitation = {
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
    if (hasAccount) await verifyAccount(trx, user.id, now);
    else if (!(await insertUser(trx, { ...user, createdAt: now, emailVerifiedAt: now, signupSource: null }))) {
      throw new Refusal('conflict', {
        reason:
          'An account was created for this email address in the meantime. Accept the invitation again with the password of that account.',
      });
    }
    const { role } = taken;
    await insertMembership(trx, { workspaceId, userId: user.id, role, createdAt: now });
    const joined = { id: user.id, email: user.email, role, expiresAt: null };
    await recordChange(trx, userActor(user, accept.ip), {
      workspaceId,
      action: 'member.joined',
      target: memberTarget(joined),
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

async function newUser(email: string, { password, peer }: AcceptInvitation): Promise<InvitedUser> {
  if (password.length < MIN_PASSWORD_CHARACTERS) {
    const message = `must have at least ${MIN_PASSWORD_CHARACTERS} characters; it has ${password.length}`;
    throw invalid({ field: 'password', message });
  }
  return { id: newId(), email, passwordHash: await hashPassword(password, peer) };
}
