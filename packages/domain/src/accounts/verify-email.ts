import { conflict, invalid, type Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { countVerificationLink, type WindowContext } from '@posthorn/domain/throttles';
import { clearUnverifiedOwners } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { createToken, hashToken, sha256Hex } from '@posthorn/platform/secrets';
import { HOUR_MS } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import type { SessionCaller } from './caller.js';
import { closeUnverifiedWorkspaces } from './close-workspaces-store.js';
import { consumeLink, deleteLinksForUser, insertLink } from './mailed-link-store.js';
import { layOutMail, type SendMail } from './system-mail.js';
import { deleteUnverifiedUsers, updateEmailVerified } from './user-store.js';

type VerificationLinkMail = {
  readonly userId: string;
  readonly email: string;
  readonly sendMail: SendMail;
};

/** Mails a link that verifies the address. Earlier links keep working. Resolves once the mail is accepted. */
export async function mailVerificationLink(
  ctx: Pick<Context, 'config' | 'db' | 'now'>,
  { userId, email, sendMail }: VerificationLinkMail,
): Promise<void> {
  const [token, now, hours] = [createToken(), ctx.now(), limits.verificationHours.max];
  const expiresAt = new Date(now.getTime() + hours * HOUR_MS);
  await insertLink(ctx.db, { tokenHash: hashToken(token), userId, purpose: 'verify_email', expiresAt }, { now });
  await sendMail({
    to: email,
    ...buildVerificationMail({ link: `${ctx.config.publicUrl}/verify-email?token=${token}`, hours }),
  });
}

type ResendVerification = {
  readonly caller: SessionCaller;
  readonly peer: string;
  readonly sendMail: SendMail;
};

/**
 * Mails another link that verifies the caller's address.
 * @throws Refusal conflict if the address is already verified; rate_limited; any refusal of the mail
 */
export async function resendVerification(
  ctx: Pick<Context, 'config' | 'db' | 'now' | 'redis'> & WindowContext,
  { caller: { user }, peer, sendMail }: ResendVerification,
): Promise<void> {
  if (user.emailVerified) throw conflict('Your email address is already confirmed.');
  await countVerificationLink(ctx, { email: user.email, source: sha256Hex(peer) });
  await mailVerificationLink(ctx, { userId: user.id, email: user.email, sendMail });
}

type VerificationMailFacts = {
  /** Must not contain characters that need escaping in HTML. */
  readonly link: string;
  readonly hours: number;
};

/** The mail contains no text from users, because anyone can enter any address when they sign up. */
export function buildVerificationMail({ link, hours }: VerificationMailFacts) {
  return layOutMail({
    subject: 'Confirm your email address',
    before: [
      `Someone created a Posthorn account with this email address. If it was you, open this link within ${hours} hours and confirm the address:`,
    ],
    link: { label: 'Confirm the address', url: link },
    after: [
      `If it was not you, do not confirm the address. Open the link and select “I did not sign up” to delete the account, or ignore this email. Until the address is confirmed, the account can send email to this address only. After ${limits.unconfirmedDays.max} days, it is deleted.`,
    ],
  });
}

/**
 * `loggedInAs` is the id of the user whose session was sent with the token, or null if none was. The dashboard requires
 * a login first: someone who did not sign up does not know the password, so they cannot confirm another person's
 * account.
 */
type VerifyEmail = { readonly token: string; readonly loggedInAs: string | null };

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

function unknownVerificationLink(): Refusal {
  return invalid({
    field: 'token',
    message: 'is invalid, expired or already used. If your address is not confirmed yet, request a new link',
  });
}

function otherAccount(): Refusal {
  return conflict(
    'This link belongs to a different account from the one you are logged in to. Log out, then open the link again.',
  );
}

/**
 * Deletes the account that a verification link was mailed for, and closes its workspace, because someone else signed up
 * with the recipient's address. A verified account is not deleted.
 * @throws Refusal validation_failed for a token that is unknown, expired or already used
 */
export async function rejectSignUp(ctx: Pick<Context, 'db' | 'log' | 'now'>, token: string): Promise<void> {
  const now = ctx.now();
  const rejected = await ctx.db.transaction(async (trx) => {
    const userId = await consumeLink(trx, { tokenHash: hashToken(token), purpose: 'verify_email' }, now);
    if (userId === null) throw unknownVerificationLink();
    await closeUnverifiedWorkspaces(trx, [userId], now);
    if ((await deleteUnverifiedUsers(trx, [userId])) === 0) throw unknownVerificationLink();
    return userId;
  });
  ctx.log.info({ userId: rejected }, 'sign_up_rejected');
}

/**
 * Records that the account belongs to the owner of its address. From then on, its workspace may send to any address.
 * Other processes notice this within half a second. Links that verify or reject the account stop working.
 */
export async function verifyAccount(trx: Knex, userId: string, now: Date): Promise<void> {
  if (!(await updateEmailVerified(trx, userId, now))) return;
  await deleteLinksForUser(trx, userId, 'verify_email');
  await clearUnverifiedOwners(trx, [userId]);
}
