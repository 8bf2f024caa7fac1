import { addressKey } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import { openSharedLimiter } from '@posthorn/domain/throttles';
import type { Context } from '@posthorn/platform';
import { keys } from '@posthorn/platform/redis';
import { sha256Hex } from '@posthorn/platform/secrets';

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
