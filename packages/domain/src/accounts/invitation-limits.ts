import { addressKey } from '@posthorn/domain/format';
import { limits } from '@posthorn/domain/limits';
import { countShared, type WindowLimit } from '@posthorn/domain/throttles';
import { keys } from '@posthorn/platform/redis';
import { sha256Hex } from '@posthorn/platform/secrets';
import type { LimitContext } from './login-limits.js';

const DAY_SECONDS = 86_400;

const perDay = (limit: number, what: string): WindowLimit => ({ limit, windowSeconds: DAY_SECONDS, what });
const byWorkspace = perDay(limits.invitationMails.max, 'invitations from one workspace');
const toAddress = perDay(limits.invitationMailsToAddress.max, 'invitations to one address');

/**
 * Counts an invitation before it is mailed. It is sent in our name, but contains a workspace name that a user chose.
 * These limits keep users from abusing that.
 * @throws Refusal rate_limited
 */
export async function countInvitation(
  ctx: LimitContext,
  { workspaceId, email }: { readonly workspaceId: string; readonly email: string },
): Promise<void> {
  await countShared(ctx, byWorkspace, keys.invitation('workspace', workspaceId));
  await countShared(ctx, toAddress, keys.invitation('address', sha256Hex(addressKey(email))));
}
