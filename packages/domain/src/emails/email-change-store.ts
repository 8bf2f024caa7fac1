import type { EmailEventType, EmailStatus } from '@posthorn/contract';
import { Refusal } from '@posthorn/domain/errors';
import { newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';

type ChangeableEmail = {
  status: EmailStatus;
  usageDay: string;
  acceptedAt: Date;
  scheduledAt: Date | null;
  expiresAt: Date | null;
  /** The sequence of its latest event. */
  lastSequence: number;
};

/**
 * Locks an email that may still be changed. A worker's claim updates the row that this function locks. If the claim
 * came first, the row shows it; if not, the claim waits and then sees the change. After an ambiguous attempt, a mail
 * server may already have the email, so canceling might not stop it, and rescheduling could send a second copy.
 * @throws Refusal not_found, not_cancelable
 */
export async function lockChangeableEmail(trx: Knex, workspaceId: string, id: string): Promise<ChangeableEmail> {
  const delivery = await trx('deliveries')
    .select('lease_until', 'ambiguous_attempts', 'last_sequence')
    .where({ email_id: id, workspace_id: workspaceId })
    .forUpdate()
    .first();
  // This needs its own statement: the one above may wait for the lock, and would not see an outcome that is recorded in
  // the meantime.
  const email = await trx('emails')
    .select('status', 'usage_day', 'created_at', 'scheduled_at', 'expires_at')
    .where({ id, workspace_id: workspaceId })
    .first();
  if (!email) throw new Refusal('not_found', { what: 'email' });
  const { status } = email;
  if (!delivery) throw new Refusal('not_cancelable', { status, isAmbiguous: false });
  if (delivery.lease_until) throw new Refusal('not_cancelable', { status: 'sending', isAmbiguous: false });
  if (delivery.ambiguous_attempts > 0) throw new Refusal('not_cancelable', { status, isAmbiguous: true });
  return {
    status,
    usageDay: email.usage_day,
    acceptedAt: email.created_at,
    scheduledAt: email.scheduled_at,
    expiresAt: email.expires_at,
    lastSequence: delivery.last_sequence,
  };
}

/** Cancels the recipients whose status is not final yet. @returns how many */
export async function cancelWaitingRecipients(trx: Knex, id: string, now: Date): Promise<number> {
  return trx('email_recipients')
    .where({ email_id: id })
    .whereIn('status', ['queued', 'deferred'])
    .update({ status: 'canceled', updated_at: now });
}

export async function listRecipientStatuses(trx: Knex, id: string): Promise<EmailStatus[]> {
  return trx('email_recipients').where({ email_id: id }).pluck('status');
}

export async function setCanceled(trx: Knex, workspaceId: string, id: string, status: EmailStatus): Promise<void> {
  await trx('deliveries').where({ email_id: id }).delete();
  await trx('emails').where({ workspace_id: workspaceId, id }).update({ status });
}

/** A parked email stays parked. */
export async function setSchedule(
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

type NewEvent = { sequence: number; type: EmailEventType; recipient?: string | null; detail?: string; at: Date };

/** The queue entry or, after delivery, the row of the email must be locked, so that no other process writes an event with this sequence. */
export async function insertEmailEvent(
  trx: Knex,
  workspaceId: string,
  emailId: string,
  { sequence, type, recipient, detail, at }: NewEvent,
): Promise<void> {
  await trx('events').insert({
    id: newId(),
    stream_id: emailId,
    sequence,
    workspace_id: workspaceId,
    type: `email.${type}`,
    recipient: recipient ?? null,
    detail: detail ?? null,
    created_at: at,
  });
  await trx('deliveries').where({ email_id: emailId }).update({ last_sequence: sequence });
}

/** How many times the email was rescheduled. Being scheduled when it was accepted does not count. */
export async function countReschedules(trx: Knex, emailId: string): Promise<number> {
  const [row] = await trx('events')
    .where({ stream_id: emailId, type: 'email.scheduled' })
    .whereNotNull('detail')
    .count<{ count: number }[]>();
  return row?.count ?? 0;
}
