import { findUserByEmail } from '../accounts/user-store.js';
import type { Context } from '../context.js';
import { invalid, type Refusal } from '../errors.js';
import { hashToken } from '../secrets/token.js';
import { findInvitation, type Invitation } from './invitation-store.js';

/** What the page behind the link has to know: whether to ask for a new password or for the present one. */
export type InvitationDetails = { readonly invitation: Invitation; readonly hasAccount: boolean };

/**
 * The invitation that the token of a mailed link stands for; it is not used up.
 * @throws Refusal validation_failed for a token that was used, taken back, is over, or never was
 */
export async function readInvitation(ctx: Pick<Context, 'db' | 'now'>, token: string): Promise<InvitationDetails> {
  const invitation = await findInvitation(ctx.db, hashToken(token), ctx.now());
  if (!invitation) throw unknownInvitation();
  return { invitation, hasAccount: (await findUserByEmail(ctx.db, invitation.email)) !== null };
}

export function unknownInvitation(): Refusal {
  return invalid({
    field: 'token',
    message: 'is not the token of an invitation that still works; ask an owner of the workspace to send it again',
  });
}
