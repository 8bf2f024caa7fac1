import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { hashToken, newToken } from '@posthorn/platform/secrets';
import { HOUR_MS } from '@posthorn/platform/values';
import { insertLink } from './mailed-link-store.js';
import type { SystemMail } from './send-system-mail.js';
import { verificationMail } from './verification-mail.js';

export type VerificationLinkMail = {
  readonly userId: string;
  readonly email: string;
  readonly sendMail: (mail: SystemMail) => Promise<void>;
};

/** Mails a link that verifies the address. Earlier links keep working. Resolves once the mail is accepted. */
export async function mailVerificationLink(
  ctx: Pick<Context, 'config' | 'db' | 'now'>,
  { userId, email, sendMail }: VerificationLinkMail,
): Promise<void> {
  const [token, now, hours] = [newToken(), ctx.now(), limits.verificationHours.max];
  const expiresAt = new Date(now.getTime() + hours * HOUR_MS);
  await insertLink(ctx.db, { tokenHash: hashToken(token), userId, purpose: 'verify_email', expiresAt }, { now });
  await sendMail({
    to: email,
    ...verificationMail({ link: `${ctx.config.publicUrl}/verify-email?token=${token}`, hours }),
  });
}
