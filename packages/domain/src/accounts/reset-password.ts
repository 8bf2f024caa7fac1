import type { Context } from '../context.js';
import { invalid } from '../errors.js';
import { hashToken } from '../secrets/token.js';
import type { KnownDevices } from './known-devices.js';
import type { LoginLimiter } from './login-limiter.js';
import { consumeLink, deleteLinksOf, findLinkUser } from './mailed-link-store.js';
import { hashPassword } from './passwords.js';
import { deleteSessionsOf } from './session-store.js';
import { updatePassword } from './user-store.js';
import { verifyAccount } from './verify-account.js';

/** `deviceToken` is the cookie that an earlier login left, if the client has one. */
export type ResetPassword = { token: string; password: string; peer: string; deviceToken: string | null };

/**
 * Sets a new password with the token of a reset link, ends all sessions of the user and deletes the user's other reset
 * links. The link was mailed to the address, so this also verifies the address.
 * @throws Refusal validation_failed for a token that is unknown, expired or already used; rate_limited
 */
export async function resetPassword(
  ctx: Pick<Context, 'db' | 'log' | 'now'> & { loginLimiter: LoginLimiter; knownDevices: KnownDevices },
  { token, password, peer, deviceToken }: ResetPassword,
): Promise<void> {
  const [link, now] = [{ tokenHash: hashToken(token), purpose: 'reset_password' } as const, ctx.now()];
  if ((await findLinkUser(ctx.db, link, now)) === null) throw unknownLink();
  const passwordHash = await hashPassword(password, peer);
  const { userId, email } = await ctx.db.transaction(async (trx) => {
    const userId = await consumeLink(trx, link, now);
    if (userId === null) throw unknownLink();
    const email = await updatePassword(trx, userId, passwordHash);
    await deleteLinksOf(trx, userId, 'reset_password');
    await deleteSessionsOf(trx, userId);
    await verifyAccount(trx, userId, now);
    return { userId, email };
  });
  await ctx.loginLimiter.clearFailures({ email, peer, device: ctx.knownDevices.read(deviceToken, email) });
  ctx.log.info({ userId }, 'password_reset');
}

function unknownLink() {
  return invalid({ field: 'token', message: 'is invalid, expired or already used. Request a new reset link' });
}
