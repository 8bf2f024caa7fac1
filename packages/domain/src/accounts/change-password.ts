import { invalid, Refusal } from '@posthorn/domain/errors';
import type { Context } from '@posthorn/platform';
import type { SessionCaller } from './caller.js';
import { authenticateUser } from './log-in.js';
import type { LimitContext } from './login-limits.js';
import { deleteLinksForUser } from './mailed-link-store.js';
import { hashPassword } from './password-hash.js';
import { deleteUserSessions } from './session-store.js';
import { replacePassword, type User } from './user-store.js';

type ChangePassword = { caller: SessionCaller; currentPassword: string; newPassword: string; peer: string };

/**
 * Sets a new password if the current one is correct, ends the user's other sessions and deletes all reset links.
 * @throws Refusal validation_failed for a wrong password; rate_limited after too many of them
 */
export async function changePassword(
  ctx: Pick<Context, 'db' | 'log'> & LimitContext,
  { caller, currentPassword, newPassword, peer }: ChangePassword,
): Promise<void> {
  // The session shows that this device has logged in before, so it counts as a known device.
  const attempt = { email: caller.user.email, password: currentPassword, peer, device: caller.id };
  const user = await authenticateUser(ctx, attempt).catch((fault): User => {
    throw fault instanceof Refusal && fault.code === 'invalid_login' ? wrongPassword() : fault;
  });
  const passwordHash = await hashPassword(newPassword, peer);
  await ctx.db.transaction(async (trx) => {
    // If the password was changed in the meantime, for example with a reset link, that change wins.
    if (!(await replacePassword(trx, { user, passwordHash }))) throw wrongPassword();
    await deleteLinksForUser(trx, user.id, 'reset_password');
    await deleteUserSessions(trx, user.id, { except: caller.id });
  });
  ctx.log.info({ userId: user.id }, 'password_changed');
}

function wrongPassword(): Refusal {
  return invalid({ field: 'current_password', message: 'is not the current password of this account' });
}
