import { toUserActor } from '@posthorn/domain/audit-log';
import { invalid, Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { countUnverifiedReset, type WindowContext } from '@posthorn/domain/throttles';
import type { Context } from '@posthorn/platform';
import { createToken, hashToken } from '@posthorn/platform/secrets';
import { newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import { closeUnverifiedWorkspaces } from './close-workspaces-store.js';
import { addWorkspace, toWorkspaceName } from './create-workspace.js';
import { findKnownDevice } from './known-device.js';
import { clearFailedLogins, type LimitContext } from './login-limits.js';
import { consumeLink, deleteLinksForUser, findLinkUser, insertLink } from './mailed-link-store.js';
import { hashPassword } from './password-hash.js';
import { deleteUserSessions } from './session-store.js';
import { layOutMail, type SendMail } from './system-mail.js';
import { findUserByEmail, toLoginEmail, type User, updatePassword } from './user-store.js';
import { verifyAccount } from './verify-email.js';

const LINK_LIFETIME_MS = 3_600_000;

type ForgotContext = Pick<Context, 'config' | 'db' | 'log' | 'now' | 'redis'> & WindowContext;
type ForgotPassword = { email: string; sendMail: SendMail };

/**
 * If the address has an account, mails it a link for setting a new password. Does not wait for the mail, because the
 * response time must not reveal whether the account exists.
 */
export async function requestPasswordReset(ctx: ForgotContext, { email, sendMail }: ForgotPassword): Promise<void> {
  const user = await findUserByEmail(ctx.db, toLoginEmail(email));
  if (!user) return;
  mailLink(ctx, user, sendMail).catch((error) => {
    if (error instanceof Refusal && error.code === 'rate_limited') return;
    ctx.log.error({ error, userId: user.id }, 'reset_mail_failed');
  });
}

async function mailLink(
  ctx: ForgotContext,
  { id, email, emailVerified }: User,
  sendMail: ForgotPassword['sendMail'],
): Promise<void> {
  const [token, now] = [createToken(), ctx.now()];
  const expiresAt = new Date(now.getTime() + LINK_LIFETIME_MS);
  const link = { tokenHash: hashToken(token), userId: id, purpose: 'reset_password', expiresAt } as const;
  // Anyone can sign up with any address, so its owner may be a stranger.
  if (!emailVerified) await countUnverifiedReset(ctx, email);
  if (!(await insertLink(ctx.db, link, { now, limit: limits.resetLinks.max }))) return;
  const url = `${ctx.config.publicUrl}/reset-password?token=${token}`;
  await sendMail({ to: email, ...buildResetMail({ link: url, beginsNewWorkspace: !emailVerified }) });
}

type ResetMailFacts = {
  /** Must not contain characters that need escaping in HTML. */
  readonly link: string;
  /** Whether using the link is the first proof that the account belongs to the owner of the address. */
  readonly beginsNewWorkspace: boolean;
};

const BEGINS_NEW_WORKSPACE =
  'The address of this account has not been confirmed yet, so someone else may have created the account. Setting a new password confirms the address and begins a new, empty workspace. The earlier workspace is deleted with its API keys, webhooks, domains, templates and emails. To keep it, do not set a new password. Log in and confirm the address instead.';

export function buildResetMail({ link, beginsNewWorkspace }: ResetMailFacts) {
  return layOutMail({
    subject: 'Reset your password',
    before: [
      'We received a request to reset the password of your Posthorn account. To set a new password, open this link within one hour:',
    ],
    link: { label: 'Set a new password', url: link },
    after: [
      ...(beginsNewWorkspace ? [BEGINS_NEW_WORKSPACE] : []),
      'The link works once. If you did not request it, ignore this email. Your password will not change.',
    ],
  });
}

type ResetPassword = {
  readonly token: string;
  readonly password: string;
  /** The client's network, for limits. */
  readonly peer: string;
  /** The client's IP address, for the audit log. */
  readonly ip: string | null;
  readonly deviceToken: string | null;
};

export type PasswordReset = {
  /** Whether the address had not been verified before, so that the account has a new, empty workspace. */
  readonly beginsNewWorkspace: boolean;
};

type ResetContext = Pick<Context, 'config' | 'db' | 'log' | 'now'> & LimitContext;

/**
 * Sets a new password with the token of a reset link, ends all sessions of the user and deletes the user's other reset
 * links. If the address was not verified before, someone else may have signed up with it, and could have left anything
 * in the workspace. So the account then gets a new one, and the earlier one is closed.
 * @throws Refusal validation_failed for a token that is unknown, expired or already used; rate_limited
 */
export async function resetPassword(
  ctx: ResetContext,
  { token, password, peer, ip, deviceToken }: ResetPassword,
): Promise<PasswordReset> {
  const [link, now] = [{ tokenHash: hashToken(token), purpose: 'reset_password' } as const, ctx.now()];
  if ((await findLinkUser(ctx.db, link, now)) === null) throw unknownLink();
  const passwordHash = await hashPassword(password, peer);
  const { userId, email, beginsNewWorkspace } = await ctx.db.transaction(async (trx) => {
    const userId = await consumeLink(trx, link, now);
    if (userId === null) throw unknownLink();
    const email = await updatePassword(trx, userId, passwordHash);
    const beginsNewWorkspace = await replaceUnverifiedWorkspace(trx, { id: userId, email }, { ip, now });
    await verifyAccount(trx, userId, now);
    await deleteLinksForUser(trx, userId, 'reset_password');
    await deleteUserSessions(trx, userId);
    return { userId, email, beginsNewWorkspace };
  });
  await clearFailedLogins(ctx, { email, peer, device: findKnownDevice(ctx, deviceToken, email) });
  ctx.log.info({ userId, beginsNewWorkspace }, 'password_reset');
  return { beginsNewWorkspace };
}

/** The new workspace takes nothing over from the earlier one, not even its name. @returns false if there is none */
async function replaceUnverifiedWorkspace(
  trx: Knex.Transaction,
  owner: { readonly id: string; readonly email: string },
  { ip, now }: { readonly ip: string | null; readonly now: Date },
): Promise<boolean> {
  const closed = await closeUnverifiedWorkspaces(trx, [owner.id], now);
  if (closed.length === 0) return false;
  const name = toWorkspaceName(owner.email);
  const workspace = { id: newId(), name, planId: 'free', createdAt: now, unverifiedOwnerId: null } as const;
  await addWorkspace(trx, toUserActor(owner, ip), { owner, workspace });
  return true;
}

function unknownLink() {
  return invalid({ field: 'token', message: 'is invalid, expired or already used. Request a new reset link' });
}
