import { Refusal } from '@posthorn/domain/errors';
import { countVerificationLink } from '@posthorn/domain/throttles';
import type { Context } from '@posthorn/platform';
import { sha256Hex } from '@posthorn/platform/secrets';
import { createWorkspace, refuseTakenAddress } from './create-workspace.js';
import { countSignUp, type LimitContext } from './login-limits.js';
import { hashPassword } from './password-hash.js';
import { openSession } from './sessions.js';
import type { SendMail } from './system-mail.js';
import { findUserByEmail } from './user-store.js';
import { mailVerificationLink } from './verify-email.js';

type SignUp = {
  readonly email: string;
  readonly password: string;
  readonly workspaceName: string;
  /** The client's network, for limits. */
  readonly peer: string;
  /** The client's IP address, for the audit log. */
  readonly ip: string | null;
  readonly sendMail: SendMail;
};

type SignUpContext = Pick<Context, 'config' | 'db' | 'log' | 'now'> & LimitContext;

/**
 * Creates an account with its own workspace on the Free plan, mails a link that verifies the address, and opens a
 * session.
 * @returns the session's token
 * @throws Refusal signup_closed, conflict, rate_limited
 */
export async function signUp(
  ctx: SignUpContext,
  { email, password, workspaceName, peer, ip, sendMail }: SignUp,
): Promise<string> {
  if (ctx.config.signup === 'closed') throw new Refusal('signup_closed');
  await countSignUp(ctx, peer);
  // An address that already has an account gets no link, so it must not count against the limits on links.
  if (await findUserByEmail(ctx.db, email)) throw refuseTakenAddress();
  await countVerificationLink(ctx, { email, source: sha256Hex(peer) });
  const passwordHash = await hashPassword(password, peer);
  const account = { name: workspaceName, email, passwordHash, planId: 'free', signup: { peer, ip } } as const;
  const { workspaceId, userId } = await createWorkspace(ctx, account);
  ctx.log.info({ workspaceId, userId }, 'signed_up');
  // The user can request another link, so a failure here does not undo the sign-up.
  await mailVerificationLink(ctx, { userId, email, sendMail }).catch((error) =>
    ctx.log.error({ error, userId }, 'verification_mail_failed'),
  );
  return openSession(ctx, { user: { id: userId, passwordHash }, workspaceId });
}
