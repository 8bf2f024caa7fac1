import { Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import type { Knex } from 'knex';
import { assertScheduledBeforeExpiry } from './assert-expiry.js';
import { assertSchedulable } from './assert-schedulable.js';
import { countReschedules, insertEmailEvent, lockChangeableEmail, setSchedule } from './email-change-store.js';
import { assertMove } from './email-status.js';

/**
 * Reschedules an email that no worker holds. A queued or deferred email becomes scheduled.
 * @throws Refusal not_found, not_cancelable, validation_failed, or conflict after too many changes
 */
export async function rescheduleEmail(
  ctx: Pick<Context, 'db' | 'now'>,
  workspaceId: string,
  { id, scheduledAt }: { id: string; scheduledAt: Date },
): Promise<void> {
  await ctx.db.transaction(async (trx) => {
    const email = await lockChangeableEmail(trx, workspaceId, id);
    const { status, acceptedAt, scheduledAt: current, expiresAt, lastSequence } = email;
    assertSchedulable(scheduledAt, ctx.now(), acceptedAt);
    if (status === 'scheduled' && current?.getTime() === scheduledAt.getTime()) return;
    if (expiresAt) assertScheduledBeforeExpiry(scheduledAt, expiresAt);
    assertMove(status, 'scheduled');
    await assertMayReschedule(trx, id);
    await setSchedule(trx, workspaceId, id, { at: scheduledAt, expiresAt });
    await insertEmailEvent(trx, workspaceId, id, {
      sequence: lastSequence + 1,
      type: 'scheduled',
      detail: `Scheduled for ${scheduledAt.toISOString()}`,
      at: ctx.now(),
    });
  });
}

/** Every change adds an event, so without a limit, one email could fill the table. */
async function assertMayReschedule(trx: Knex, id: string): Promise<void> {
  const { max } = limits.reschedules;
  if ((await countReschedules(trx, id)) < max) return;
  throw new Refusal('conflict', {
    reason: `This email has been rescheduled ${max} times, which is the limit. Cancel it and send a new one.`,
  });
}
