import { Refusal } from '@posthorn/domain/errors';
import { countVerificationLink, type WindowContext } from '@posthorn/domain/throttles';
import type { Context } from '@posthorn/platform';
import { sha256Hex } from '@posthorn/platform/secrets';
import type { SessionCaller } from './caller.js';
import { mailVerificationLink } from './mail-verification-link.js';
import type { SystemMail } from './send-system-mail.js';

export type ResendVerification = {
  readonly caller: SessionCaller;
  readonly peer: string;
  readonly sendMail: (mail: SystemMail) => Promise<void>;
};

/**
 * Mails another link that verifies the caller's address.
 * @throws Refusal conflict if the address is already verified; rate_limited; any refusal of the mail
 */
export async function resendVerification(
  ctx: Pick<Context, 'config' | 'db' | 'now' | 'redis'> & WindowContext,
  { caller: { user }, peer, sendMail }: ResendVerification,
): Promise<void> {
  if (user.emailVerified) throw new Refusal('conflict', { reason: 'Your email address is already confirmed.' });
  await countVerificationLink(ctx, { email: user.email, source: sha256Hex(peer) });
  await mailVerificationLink(ctx, { userId: user.id, email: user.email, sendMail });
}
