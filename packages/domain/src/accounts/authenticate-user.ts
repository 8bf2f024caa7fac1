import type { Context } from '../context.js';
import { Refusal } from '../errors.js';
import type { LoginAttempt, LoginLimiter } from './login-limiter.js';
import { verifyPassword } from './passwords.js';
import { findUserByEmail, type User } from './user-store.js';

/**
 * Checks an account's password and counts failures against the login limits.
 * @param email as `toLoginEmail` returns it
 * @throws Refusal invalid_login, the same for a wrong password and an unknown address; rate_limited
 */
export function authenticateUser(
  ctx: Pick<Context, 'db'> & { loginLimiter: LoginLimiter },
  { email, password, peer }: LoginAttempt & { password: string },
): Promise<User> {
  return ctx.loginLimiter.guard({ peer, email }, async () => {
    const user = await findUserByEmail(ctx.db, email);
    const isRight = await verifyPassword(user?.passwordHash ?? null, password, peer);
    if (!user || !isRight) throw new Refusal('invalid_login');
    return user;
  });
}
