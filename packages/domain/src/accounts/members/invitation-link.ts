import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { hashToken, newToken } from '@posthorn/platform/secrets';
import { DAY_MS } from '@posthorn/platform/values';

export type InvitationLink = { readonly url: string; readonly tokenHash: Buffer; readonly expiresAt: Date };

/** Creates a new link. Only the hash of its token is stored. */
export function newInvitationLink({ config, now }: Pick<Context, 'config' | 'now'>): InvitationLink {
  const token = newToken();
  return {
    url: `${config.publicUrl}/accept-invitation?token=${token}`,
    tokenHash: hashToken(token),
    expiresAt: new Date(now().getTime() + limits.invitationDays.max * DAY_MS),
  };
}
