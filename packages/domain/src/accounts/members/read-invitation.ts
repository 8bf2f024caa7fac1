import { invalid, type Refusal } from '@posthorn/domain/errors';
import type { Context } from '@posthorn/platform';
import { hashToken } from '@posthorn/platform/secrets';
import { findUserByEmail } from '../user-store.js';
import { findInvitation, type Invitation } from './invitation-store.js';

/**
 * What to show on the page that the link opens. `hasAccount` decides whether the page asks for the existing password or
 * a new one.
 */
export type InvitationDetails = { readonly invitation: Invitation; readonly hasAccount: boolean };

/**
 * Reads the invitation that a link's token belongs to, without using up the link.
 * @throws Refusal validation_failed for a token that is unknown, used, expired or revoked
 */
export async function readInvitation(ctx: Pick<Context, 'db' | 'now'>, token: string): Promise<InvitationDetails> {
  const invitation = await findInvitation(ctx.db, hashToken(token), ctx.now());
  if (!invitation) throw unknownInvitation();
  return { invitation, hasAccount: (await findUserByEmail(ctx.db, invitation.email)) !== null };
}

export function unknownInvitation(): Refusal {
  return invalid({
    field: 'token',
    message: 'is invalid, expired or already used. Ask an owner of the workspace to send the invitation again',
  });
}
