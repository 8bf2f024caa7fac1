import type { Context } from '../context.js';
import { Refusal } from '../errors.js';
import { toLoginEmail } from './account-email.js';
import { authenticateUser } from './authenticate-user.js';
import type { LoginLimiter } from './login-limiter.js';
import { findFirstWorkspaceId } from './membership-store.js';
import { openSession } from './open-session.js';

export type LogIn = { email: string; password: string; peer: string };

/**
 * Opens a session in the workspace that the user joined first.
 * @returns the session's token
 * @throws Refusal invalid_login, the same for a wrong password and an unknown address; rate_limited; conflict when
 *   the user was removed from every workspace
 */
export async function logIn(
  ctx: Pick<Context, 'db' | 'now'> & { loginLimiter: LoginLimiter },
  { email, password, peer }: LogIn,
): Promise<string> {
  const user = await authenticateUser(ctx, { email: toLoginEmail(email), password, peer });
  const workspaceId = await findFirstWorkspaceId(ctx.db, user.id);
  if (workspaceId === null) {
    throw new Refusal('conflict', {
      reason: 'This account is not in any workspace. Ask a workspace owner to invite you.',
    });
  }
  return openSession(ctx, { userId: user.id, workspaceId });
}
