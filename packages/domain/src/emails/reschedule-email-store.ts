import { conflict } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import type { Knex } from 'knex';
import { insertEmailEvent, lockChangeableEmail } from './email-change-store.js';
import { assertMove } from './email-status.js';
import { assertSchedulable, assertScheduledBeforeExpiry } from './schedule-rules.js';

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
  throw conflict(`This email has been rescheduled ${max} times, which is the limit. Cancel it and send a new one.`);
}

/** How many times the email was rescheduled. Being scheduled when it was accepted does not count. */
async function countReschedules(trx: Knex, emailId: string): Promise<number> {
  const [row] = await trx('events')
    .where({ stream_id: emailId, type: 'email.scheduled' })
    .whereNotNull('detail')
    .count<{ count: number }[]>();
  return row?.count ?? 0;
}

/** A parked email stays parked. */
async function setSchedule(
  trx: Knex,
  workspaceId: string,
  id: string,
  { at, expiresAt }: { at: Date; expiresAt: Date | null },
): Promise<void> {
  await trx('deliveries')
    .where({ email_id: id })
    .update({
      due_at: at,
      is_due: trx.raw('case when is_due is not null then false end'),
      send_before: expiresAt,
      waits_for: null,
    });
  await trx('emails').where({ workspace_id: workspaceId, id }).update({ status: 'scheduled', scheduled_at: at });
}
