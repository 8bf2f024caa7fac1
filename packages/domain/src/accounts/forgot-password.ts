import type { Context } from '@posthorn/platform';
import { hashToken, newToken } from '@posthorn/platform/secrets';
import { toLoginEmail } from './account-email.js';
import { insertLink } from './mailed-link-store.js';
import { resetMail } from './reset-mail.js';
import type { SystemMail } from './send-system-mail.js';
import { findUserByEmail, type User } from './user-store.js';

const LINK_LIFETIME_MS = 3_600_000;
/** Limits how much mail a third party can cause a user to receive. */
const MAX_LIVE_LINKS = 3;

export type ForgotPassword = { email: string; sendMail: (mail: SystemMail) => Promise<void> };

/**
 * If the address has an account, mails it a link for setting a new password. Does not wait for the mail, because the
 * response time must not reveal whether the account exists.
 */
export async function forgotPassword(
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
  const [token, now] = [newToken(), ctx.now()];
  const expiresAt = new Date(now.getTime() + LINK_LIFETIME_MS);
  const link = { tokenHash: hashToken(token), userId: id, purpose: 'reset_password', expiresAt } as const;
  if (!(await insertLink(ctx.db, link, { now, limit: MAX_LIVE_LINKS }))) return;
  const url = `${ctx.config.publicUrl}/reset-password?token=${token}`;
  await sendMail({ to: email, ...resetMail({ link: url, removesAccess: !emailVerified }) });
}
