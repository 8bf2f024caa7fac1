import { Refusal } from '@posthorn/domain/errors';
import type { Context } from '@posthorn/platform';
import { toLoginEmail } from './account-email.js';
import { authenticateUser } from './authenticate-user.js';
import { findKnownDevice } from './known-device.js';
import type { LimitContext } from './login-limits.js';
import { findFirstWorkspaceId } from './membership-store.js';
import { openSession } from './open-session.js';

/** `deviceToken` is the cookie that an earlier login set, if the client has one. */
export type LogIn = { email: string; password: string; peer: string; deviceToken: string | null };

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
    throw new Refusal('conflict', {
      reason: 'This account is not in any workspace. Ask a workspace owner to invite you.',
    });
  }
  return openSession(ctx, { user, workspaceId });
}
