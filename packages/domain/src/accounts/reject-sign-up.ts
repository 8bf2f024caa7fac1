import { deleteUnverifiedWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { hashToken } from '@posthorn/platform/secrets';
import { consumeLink } from './mailed-link-store.js';
import { deleteUnverifiedUser } from './user-store.js';
import { unknownVerificationLink } from './verify-email.js';

/**
 * Deletes the account that a verification link was mailed for, together with its workspace, because someone else signed
 * up with the recipient's address. A verified account is not deleted.
 * @throws Refusal validation_failed for a token that is unknown, expired or already used
 */
export async function rejectSignUp(ctx: Pick<Context, 'db' | 'log' | 'now'>, token: string): Promise<void> {
  const rejected = await ctx.db.transaction(async (trx) => {
    const link = { tokenHash: hashToken(token), purpose: 'verify_email' } as const;
    const userId = await consumeLink(trx, link, ctx.now());
    if (userId === null) throw unknownVerificationLink();
    await deleteUnverifiedWorkspace(trx, userId);
    if (!(await deleteUnverifiedUser(trx, userId))) throw unknownVerificationLink();
    return userId;
  });
  ctx.log.info({ userId: rejected }, 'sign_up_rejected');
}
