import type { EmailEventType, EmailStatus } from '@posthorn/contract';
import { newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';

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
