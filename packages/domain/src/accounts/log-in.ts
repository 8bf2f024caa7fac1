import { conflict, Refusal } from '@posthorn/domain/errors';
import { toAddressKey } from '@posthorn/domain/format';
import type { Context } from '@posthorn/platform';
import { findKnownDevice } from './known-device.js';
import { guardLogin, type LimitContext, type LoginAttempt } from './login-limits.js';
import { findFirstWorkspaceId } from './member-store.js';
import { verifyPassword } from './password-hash.js';
import { openSession } from './sessions.js';
import { findUserByEmail, toLoginEmail, type User } from './user-store.js';

/** `deviceToken` is the cookie that an earlier login set, if the client has one. */
type LogIn = { email: string; password: string; peer: string; deviceToken: string | null };

/**
 * Opens a session in the workspace that the user joined first.
 * @returns the session's token
 * @throws Refusal invalid_login, whether the password is wrong or the address is unknown; rate_limited; conflict if the
 *   user is no longer in any workspace
 */
export async function logIn(
  ctx: Pick<Context, 'config' | 'db' | 'now'> & LimitContext,
  { email: typed, password, peer, deviceToken }: LogIn,
): Promise<string> {
  const email = toLoginEmail(typed);
  const device = findKnownDevice(ctx, deviceToken, email);
  const user = await authenticateUser(ctx, { email, password, peer, device });
  const workspaceId = await findFirstWorkspaceId(ctx.db, user.id);
  if (workspaceId === null) {
    throw conflict('This account is not in any workspace. Ask a workspace owner to invite you.');
  }
  return openSession(ctx, { user, workspaceId });
}

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
  return device === null ? peer : `account ${toAddressKey(email)}`;
}
