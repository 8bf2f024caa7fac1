import { type Actor, toUserActor } from '@posthorn/domain/audit-log';
import { invalid } from '@posthorn/domain/errors';
import type { Context } from '@posthorn/platform';
import { createToken, hashToken } from '@posthorn/platform/secrets';
import type { Knex } from 'knex';
import { findKnownDevice } from './known-device.js';
import { clearFailedLogins, type LimitContext } from './login-limits.js';
import { consumeLink, deleteLinksForUser, findLinkUser, insertLink } from './mailed-link-store.js';
import { hashPassword } from './password-hash.js';
import {
  buildAccessRemovedMail,
  describeRemovedAccess,
  type RemovedAccess,
  removeEarlierAccess,
} from './remove-earlier-access.js';
import { deleteUserSessions } from './session-store.js';
import { layOutMail, type SendMail } from './system-mail.js';
import { findUserByEmail, toLoginEmail, type User, updatePassword } from './user-store.js';
import { verifyAccount } from './verify-email.js';

const LINK_LIFETIME_MS = 3_600_000;
/** Limits how much mail a third party can cause a user to receive. */
const MAX_LIVE_LINKS = 3;

type ForgotPassword = { email: string; sendMail: SendMail };

/**
 * If the address has an account, mails it a link for setting a new password. Does not wait for the mail, because the
 * response time must not reveal whether the account exists.
 */
export async function requestPasswordReset(
  ctx: Pick<Context, 'config' | 'db' | 'log' | 'now'>,
  { email, sendMail }: ForgotPassword,
): Promise<void> {
  const user = await findUserByEmail(ctx.db, toLoginEmail(email));
  if (!user) return;
  mailLink(ctx, user, sendMail).catch((error) => ctx.log.error({ error, userId: user.id }, 'reset_mail_failed'));
}

async function mailLink(
  ctx: Pick<Context, 'config' | 'db' | 'now'>,
  { id, email, emailVerified }: User,
  sendMail: ForgotPassword['sendMail'],
): Promise<void> {
  const [token, now] = [createToken(), ctx.now()];
  const expiresAt = new Date(now.getTime() + LINK_LIFETIME_MS);
  const link = { tokenHash: hashToken(token), userId: id, purpose: 'reset_password', expiresAt } as const;
  if (!(await insertLink(ctx.db, link, { now, limit: MAX_LIVE_LINKS }))) return;
  const url = `${ctx.config.publicUrl}/reset-password?token=${token}`;
  await sendMail({ to: email, ...buildResetMail({ link: url, removesAccess: !emailVerified }) });
}

type ResetMailFacts = {
  /** Must not contain characters that need escaping in HTML. */
  readonly link: string;
  /** Whether using the link is the first proof that the account belongs to the owner of the address. */
  readonly removesAccess: boolean;
};

const REMOVES_ACCESS =
  'The address of this account has not been confirmed yet. Setting a new password confirms it, and removes API keys, members and invitations that were added earlier.';

export function buildResetMail({ link, removesAccess }: ResetMailFacts) {
  return layOutMail({
    subject: 'Reset your password',
    before: [
      'We received a request to reset the password of your Posthorn account. To set a new password, open this link within one hour:',
    ],
    link: { label: 'Set a new password', url: link },
    after: [
      ...(removesAccess ? [REMOVES_ACCESS] : []),
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
  readonly sendMail: SendMail;
};

export type PasswordReset = {
  /** What was removed because the address had not been verified before; null if nothing was removed. */
  readonly removed: RemovedAccess | null;
};

type ResetContext = Pick<Context, 'config' | 'db' | 'log' | 'now'> & LimitContext;

/**
 * Sets a new password with the token of a reset link, ends all sessions of the user and deletes the user's other reset
 * links. If the address was not verified before, someone else may have signed up with it, so everything that could give
 * that person access is removed: keys, sessions, members and invitations.
 * @throws Refusal validation_failed for a token that is unknown, expired or already used; rate_limited
 */
export async function resetPassword(
  ctx: ResetContext,
  { token, password, peer, ip, deviceToken, sendMail }: ResetPassword,
): Promise<PasswordReset> {
  const [link, now] = [{ tokenHash: hashToken(token), purpose: 'reset_password' } as const, ctx.now()];
  if ((await findLinkUser(ctx.db, link, now)) === null) throw unknownLink();
  const passwordHash = await hashPassword(password, peer);
  const { userId, email, removed } = await ctx.db.transaction(async (trx) => {
    const userId = await consumeLink(trx, link, now);
    if (userId === null) throw unknownLink();
    const email = await updatePassword(trx, userId, passwordHash);
    await deleteLinksForUser(trx, userId, 'reset_password');
    const sessions = await deleteUserSessions(trx, userId);
    const actor = toUserActor({ id: userId, email }, ip);
    return { userId, email, removed: await verifyAndSecure(trx, { actor, userId, sessions, now }) };
  });
  await clearFailedLogins(ctx, { email, peer, device: findKnownDevice(ctx, deviceToken, email) });
  ctx.log.info({ userId, removed }, 'password_reset');
  await mailRemovedAccess(ctx, { userId, email, removed, sendMail });
  return { removed };
}

/** @returns what was removed; null if nothing was removed or the account was already verified */
async function verifyAndSecure(
  trx: Knex.Transaction,
  { actor, userId, sessions, now }: { actor: Actor; userId: string; sessions: number; now: Date },
): Promise<RemovedAccess | null> {
  const workspaceId = await verifyAccount(trx, userId, now);
  if (workspaceId === null) return null;
  const removed = { sessions, ...(await removeEarlierAccess(trx, { actor, workspaceId, userId, now })) };
  return Object.values(removed).some((count) => count > 0) ? removed : null;
}

type Reset = PasswordReset & Pick<ResetPassword, 'sendMail'> & { readonly userId: string; readonly email: string };

/** The new password is already set, so a failure here must not look like a failed reset. */
async function mailRemovedAccess({ log }: ResetContext, { userId, email, removed, sendMail }: Reset): Promise<void> {
  if (removed === null) return;
  await sendMail({ to: email, ...buildAccessRemovedMail(describeRemovedAccess(removed)) }).catch((error) =>
    log.error({ error, userId }, 'access_removed_mail_failed'),
  );
}

function unknownLink() {
  return invalid({ field: 'token', message: 'is invalid, expired or already used. Request a new reset link' });
}
