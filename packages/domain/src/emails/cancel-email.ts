import type { Context } from '../context.js';
import { forgetCounters } from '../usage/usage-counters.js';
import { refundUsage } from '../usage/usage-store.js';
import {
  cancelWaitingRecipients,
  insertEvent,
  listRecipientStatuses,
  lockChangeableEmail,
  setCanceled,
} from './email-change-store.js';
import { assertMove, deriveCanceledStatus, type RecipientStatus } from './email-status.js';

/**
 * Withdraws an email that no worker holds: once this returns it will never be sent. A deferred email
 * that some recipients have already is withdrawn for the others. What was not sent is given back.
 * @throws Refusal not_found, not_cancelable
 */
export async function cancelEmail(
  ctx: Pick<Context, 'db' | 'now' | 'redis'>,
  workspaceId: string,
  id: string,
): Promise<void> {
  const at = ctx.now();
  const usageDay = await ctx.db.transaction(async (trx) => {
    const email = await lockChangeableEmail(trx, workspaceId, id);
    const withdrawn = await cancelWaitingRecipients(trx, id, at);
    const status = deriveCanceledStatus((await listRecipientStatuses(trx, id)) as RecipientStatus[]);
    assertMove(email.status, status);
    await setCanceled(trx, id, status);
    await refundUsage(trx, { workspaceId, usageDay: email.usageDay, sends: withdrawn });
    await insertEvent(trx, workspaceId, id, { type: 'canceled', at });
    return email.usageDay;
  });
  forgetCounters(ctx.redis, workspaceId, [usageDay.slice(0, 7), usageDay]);
}
