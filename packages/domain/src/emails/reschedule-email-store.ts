import { conflict, invalid } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { DAY_MS, HOUR_MS } from '@posthorn/platform/values';
import type { Knex } from 'knex';
import { insertEmailEvent, lockChangeableEmail } from './email-change-store.js';
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
    });
  await trx('emails').where({ workspace_id: workspaceId, id }).update({ status: 'scheduled', scheduled_at: at });
}

/** How far in the past a time may be. A client's clock may be slow, and a request takes time. */
const GRACE_MS = 60_000;

/**
 * @param acceptedAt the limit counts from this time, so that an email cannot be rescheduled to a time after its rows
 *   are deleted
 * @throws Refusal validation_failed for a time over a minute in the past or too far ahead
 */
export function assertSchedulable(scheduledAt: Date, now: Date, acceptedAt = now): void {
  if (scheduledAt.getTime() < now.getTime() - GRACE_MS) {
    throw invalid({ field: 'scheduled_at', message: 'is more than 1 minute in the past. Choose a later time' });
  }
  if (scheduledAt.getTime() - acceptedAt.getTime() > limits.scheduleDays.max * DAY_MS) {
    const tooFar = acceptedAt < now ? `after ${acceptedAt.toISOString()}, when the email was accepted` : 'ahead';
    const message = `is more than ${limits.scheduleDays.max} days ${tooFar}. Choose an earlier time`;
    throw invalid({ field: 'scheduled_at', message });
  }
}

const { max: MAX_HOURS } = limits.expiryHours;

/**
 * @param dueAt when the email is first due: its scheduled_at, or now
 * @throws Refusal validation_failed for an expiry that is not after `dueAt` or is too long after it
 */
export function assertExpiry(expiresAt: Date, dueAt: Date): void {
  const hours = hoursBetween(dueAt, expiresAt);
  if (hours <= 0) {
    const message = 'must be after the email is due to be sent. Choose a later time';
    throw invalid({ field: 'expires_at', message });
  }
  if (hours > MAX_HOURS) {
    const message = `must be at most ${MAX_HOURS} hours after the email is due to be sent. Choose an earlier time`;
    throw invalid({ field: 'expires_at', message });
  }
}

/**
 * Applies the same rule to a new scheduled_at of an email that keeps its expires_at.
 * @throws Refusal validation_failed for a time that is not before `expiresAt` or is too long before it
 */
function assertScheduledBeforeExpiry(scheduledAt: Date, expiresAt: Date): void {
  const hours = hoursBetween(scheduledAt, expiresAt);
  const expiry = `expires_at, which is ${expiresAt.toISOString()}`;
  if (hours <= 0) {
    throw invalid({ field: 'scheduled_at', message: `must be before ${expiry}. Choose an earlier time` });
  }
  if (hours > MAX_HOURS) {
    const message = `must be at most ${MAX_HOURS} hours before ${expiry}. Choose a later time`;
    throw invalid({ field: 'scheduled_at', message });
  }
}

function hoursBetween(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / HOUR_MS;
}
