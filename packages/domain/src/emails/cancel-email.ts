import type { RecipientStatus } from '@posthorn/contract';
import { forgetCounters, refundUsage } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import {
  cancelWaitingRecipients,
  insertEmailEvent,
  listRecipientStatuses,
  lockChangeableEmail,
  setCanceled,
} from './email-change-store.js';
import { assertMove, deriveCanceledStatus } from './email-status.js';

/**
 * Cancels an email that no worker holds. Once this returns, the email will not be sent. If a deferred email has already
 * been sent to some recipients, it is canceled for the others. Usage is refunded for the canceled recipients.
 * @throws Refusal not_found, not_cancelable
 */
export async function cancelEmail(
  ctx: Pick<Context, 'db' | 'now' | 'incarnationKeys' | 'redis'>,
  workspaceId: string,
  id: string,
): Promise<void> {
  const at = ctx.now();
  const usageDay = await ctx.db.transaction(async (trx) => {
    const email = await lockChangeableEmail(trx, workspaceId, id);
    const canceled = await cancelWaitingRecipients(trx, id, at);
    const status = deriveCanceledStatus((await listRecipientStatuses(trx, id)) as RecipientStatus[]);
    assertMove(email.status, status);
    await setCanceled(trx, workspaceId, id, status);
    await insertEmailEvent(trx, workspaceId, id, { sequence: email.lastSequence + 1, type: 'canceled', at });
    // This comes last, because no emails from this workspace can be accepted while its usage rows are locked.
    await refundUsage(trx, { workspaceId, usageDay: email.usageDay, sends: canceled });
    return email.usageDay;
  });
  forgetCounters(ctx, workspaceId, [usageDay.slice(0, 7), usageDay]);
}
