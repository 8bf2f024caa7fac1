import type { Context } from '../context.js';
import { invalid } from '../errors.js';
import { assertSchedulable } from './assert-schedulable.js';
import { insertEvent, lockChangeableEmail, setSchedule } from './email-change-store.js';
import { assertMove } from './email-status.js';

/**
 * Reschedules an email that no worker holds. A queued or deferred email becomes scheduled.
 * @throws Refusal not_found, not_cancelable, validation_failed
 */
export async function rescheduleEmail(
  ctx: Pick<Context, 'db' | 'now'>,
  workspaceId: string,
  { id, scheduledAt }: { id: string; scheduledAt: Date },
): Promise<void> {
  assertSchedulable(scheduledAt, ctx.now());
  await ctx.db.transaction(async (trx) => {
    const { status, expiresAt } = await lockChangeableEmail(trx, workspaceId, id);
    if (expiresAt && scheduledAt >= expiresAt) {
      const message = `is not before expires_at, which is ${expiresAt.toISOString()}. Choose an earlier time`;
      throw invalid({ field: 'scheduled_at', message });
    }
    assertMove(status, 'scheduled');
    await setSchedule(trx, workspaceId, id, scheduledAt);
    await insertEvent(trx, workspaceId, id, {
      type: 'rescheduled',
      detail: `Scheduled for ${scheduledAt.toISOString()}`,
      at: ctx.now(),
    });
  });
}
