import type { Knex } from 'knex';
import { Refusal } from '../errors.js';
import { newId } from '../ids.js';
import { changeableStatuses, type EmailStatus, type EventType } from './email-status.js';

export type ChangeableEmail = { status: EmailStatus; usageDay: string; scheduledAt: Date | null };

/**
 * Locks an email that may still be changed. A worker's claim updates the same row. If it came first, the status shows
 * it; if not, it waits and sees the change. After an ambiguous attempt a mail server may have the email, so canceling
 * would promise too much, and rescheduling would plan a second copy.
 * @throws Refusal not_found, not_cancelable
 */
export async function lockChangeableEmail(trx: Knex, workspaceId: string, id: string): Promise<ChangeableEmail> {
  const row = await trx('emails')
    .select('status', 'usage_day', 'scheduled_at', 'attempt')
    .where({ workspace_id: workspaceId, id })
    .forUpdate()
    .first();
  if (!row) throw new Refusal('not_found', { what: 'email' });
  const { status } = row;
  if (!changeableStatuses.includes(status)) throw new Refusal('not_cancelable', { status, isAmbiguous: false });
  const isAmbiguous = row.attempt > 0 && (await hasAmbiguousAttempt(trx, id));
  if (isAmbiguous) throw new Refusal('not_cancelable', { status, isAmbiguous });
  return { status, usageDay: row.usage_day, scheduledAt: row.scheduled_at };
}

/** A statement of its own, because one that waits for the lock does not see the attempts that ended in the meantime. */
async function hasAmbiguousAttempt(trx: Knex, id: string): Promise<boolean> {
  const attempt = await trx('delivery_attempts')
    .select('attempt')
    .where({ email_id: id, outcome: 'ambiguous' })
    .first();
  return attempt !== undefined;
}

/** Cancels the recipients that have not been handed over yet. @returns how many */
export async function cancelWaitingRecipients(trx: Knex, id: string, now: Date): Promise<number> {
  return trx('email_recipients')
    .where({ email_id: id })
    .whereIn('status', ['queued', 'deferred'])
    .update({ status: 'canceled', updated_at: now });
}

export async function listRecipientStatuses(trx: Knex, id: string): Promise<EmailStatus[]> {
  return trx('email_recipients').where({ email_id: id }).pluck('status');
}

export async function setCanceled(trx: Knex, id: string, status: EmailStatus): Promise<void> {
  await trx('emails').where({ id }).update({ status, due_at: null });
}

export async function setSchedule(trx: Knex, id: string, at: Date): Promise<void> {
  await trx('emails').where({ id }).update({ status: 'scheduled', scheduled_at: at, due_at: at });
}

export type NewEvent = { type: EventType; detail?: string; at: Date };

export async function insertEvent(trx: Knex, workspaceId: string, emailId: string, event: NewEvent): Promise<void> {
  await trx('email_events').insert({
    id: newId(),
    email_id: emailId,
    workspace_id: workspaceId,
    type: event.type,
    detail: event.detail ?? null,
    created_at: event.at,
  });
}

export async function countEvents(trx: Knex, emailId: string, type: EventType): Promise<number> {
  const [row] = await trx('email_events').where({ email_id: emailId, type }).count<{ count: number }[]>();
  return row?.count ?? 0;
}
