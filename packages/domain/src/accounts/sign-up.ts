import type { Context } from '../context.js';
import { Refusal } from '../errors.js';
import { createWorkspace } from './create-workspace.js';
import type { LoginLimiter } from './login-limiter.js';
import { openSession } from './open-session.js';

export type SignUp = { email: string; password: string; workspaceName: string; peer: string };

/**
 * Creates an account with its own workspace on the Free plan, and logs it in.
 * @returns the session's token
 * @throws Refusal signup_closed, conflict, rate_limited
 */
export async function signUp(
  ctx: Pick<Context, 'config' | 'db' | 'log' | 'now'> & { loginLimiter: LoginLimiter },
  { email, password, workspaceName, peer }: SignUp,
): Promise<string> {
  if (ctx.config.signup === 'closed') throw new Refusal('signup_closed');
  await ctx.loginLimiter.countSignUp(peer);
  const account = { name: workspaceName, email, password, planId: 'free', signupPeer: peer } as const;
  const { workspaceId, userId, passwordHash } = await createWorkspace(ctx, account);
  ctx.log.info({ workspaceId, userId }, 'signed_up');
  return openSession(ctx, { user: { id: userId, passwordHash }, workspaceId });
}
