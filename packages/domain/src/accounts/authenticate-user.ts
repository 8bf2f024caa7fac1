import { Refusal } from '@posthorn/domain/errors';
import { addressKey } from '@posthorn/domain/format';
import type { Context } from '@posthorn/platform';
import { guardLogin, type LimitContext, type LoginAttempt } from './login-limits.js';
import { verifyPassword } from './passwords.js';
import { findUserByEmail, type User } from './user-store.js';

/**
 * Checks an account's password and counts failures against the login limits.
 * @param attempt.email as returned by `toLoginEmail`
 * @throws Refusal invalid_login, whether the password is wrong or the address is unknown; rate_limited; unavailable
 */
export function authenticateUser(
  ctx: Pick<Context, 'db'> & LimitContext,
  { password, ...attempt }: LoginAttempt & { password: string },
): Promise<User> {
  return guardLogin(ctx, attempt, async () => {
    const user = await findUserByEmail(ctx.db, attempt.email);
    const isRight = await verifyPassword(user?.passwordHash ?? null, password, hashingSource(attempt));
    if (!user || !isRight) throw new Refusal('invalid_login');
    return user;
  });
}

/** All known devices of an account count as one source, so they do not wait behind strangers on the same network. */
function hashingSource({ email, peer, device }: LoginAttempt): string {
  return device === null ? peer : `account ${addressKey(email)}`;
}
