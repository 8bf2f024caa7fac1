import { invalid, Refusal } from '@posthorn/domain/errors';
import type { Context } from '@posthorn/platform';
import { hashToken } from '@posthorn/platform/secrets';
import { consumeLink } from './mailed-link-store.js';
import { verifyAccount } from './verify-account.js';

/**
 * `loggedInAs` is the id of the user whose session was sent with the token, or null if none was. The dashboard requires
 * a login first: someone who did not sign up does not know the password, so they cannot confirm another person's
 * account.
 */
export type VerifyEmail = { readonly token: string; readonly loggedInAs: string | null };

/**
 * Verifies the address that a link was mailed to.
 * @throws Refusal validation_failed for a token that is unknown, expired or already used; conflict if the session
 *   belongs to another account, in which case the link stays valid
 */
export async function verifyEmail(
  ctx: Pick<Context, 'db' | 'log' | 'now'>,
  { token, loggedInAs }: VerifyEmail,
): Promise<void> {
  const now = ctx.now();
  const verified = await ctx.db.transaction(async (trx) => {
    const userId = await consumeLink(trx, { tokenHash: hashToken(token), purpose: 'verify_email' }, now);
    if (userId === null) throw unknownVerificationLink();
    if (loggedInAs !== null && loggedInAs !== userId) throw otherAccount();
    await verifyAccount(trx, userId, now);
    return userId;
  });
  ctx.log.info({ userId: verified }, 'email_verified');
}

export function unknownVerificationLink(): Refusal {
  return invalid({
    field: 'token',
    message: 'is invalid, expired or already used. If your address is not confirmed yet, request a new link',
  });
}

function otherAccount(): Refusal {
  return new Refusal('conflict', {
    reason:
      'This link belongs to a different account from the one you are logged in to. Log out, then open the link again.',
  });
}
