import { addressKey } from '../addresses/address.js';
import type { Context } from '../context.js';
import { limits } from '../limits.js';
import { openSharedLimiter } from '../rate-limits/shared-limiter.js';
import { keys } from '../redis/keys.js';
import { sha256Hex } from '../secrets/sha256-hex.js';

const DAY_MINUTES = 1_440;

export type InvitationLimiter = {
  /** Counts an invitation before it is mailed. @throws Refusal rate_limited */
  count(mail: { workspaceId: string; email: string }): Promise<void>;
};

/**
 * An invitation is sent in our name, but contains a workspace name that a user chose. These limits keep users from
 * abusing that.
 */
export function openInvitationLimiter(ctx: Pick<Context, 'redis'>): InvitationLimiter {
  const perDay = (limit: number, what: string) => openSharedLimiter(ctx, { limit, windowMinutes: DAY_MINUTES, what });
  const byWorkspace = perDay(limits.invitationMails.max, 'invitations from one workspace');
  const toAddress = perDay(limits.invitationMailsToAddress.max, 'invitations to one address');
  return {
    async count({ workspaceId, email }) {
      await byWorkspace.count(keys.invitation('workspace', workspaceId));
      await toAddress.count(keys.invitation('address', sha256Hex(addressKey(email))));
    },
  };
}
