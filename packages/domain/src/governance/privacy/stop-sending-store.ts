import type { EmailStatus, RecipientStatus } from '@posthorn/contract';
import type { Knex } from 'knex';

/** An email that is waiting to be sent. Its queue entry is locked, so no worker can claim it. */
export type WaitingEmail = {
  readonly id: string;
  readonly workspaceId: string;
  /** Attempts after which a mail server may have the message. */
  readonly ambiguousAttempts: number;
  /** The sequence of its latest event. */
  readonly lastSequence: number;
};

/** Locks those of the emails that are waiting, except for those that another process is changing right now. */
export async function lockWaitingEmails(trx: Knex, ids: readonly string[]): Promise<WaitingEmail[]> {
  const { rows } = await trx.raw(
    `select email_id as id, workspace_id as "workspaceId", ambiguous_attempts as "ambiguousAttempts",
       last_sequence as "lastSequence"
     from deliveries where email_id = any(?::uuid[]) and lease_until is null
     order by email_id for update skip locked`,
    [[...ids]],
  );
  return rows;
}

type RecipientOfWaiting = {
  readonly position: number;
  readonly status: RecipientStatus;
  readonly isErased: boolean;
};

/** @param address in lower case */
export async function readWaitingEmail(
  trx: Knex,
  { id, workspaceId }: WaitingEmail,
  address: string,
): Promise<{ status: EmailStatus; usageDay: string; recipients: RecipientOfWaiting[] }> {
  const email = await trx('emails').select('status', 'usage_day').where({ workspace_id: workspaceId, id }).first();
  const recipients = await trx('email_recipients')
    .select('position', 'status', trx.raw('lower(address) = ? as "isErased"', [address]))
    .where({ email_id: id })
    .orderBy('position');
  return { status: email.status, usageDay: email.usage_day, recipients };
}

export async function setRecipientStatus(
  trx: Knex,
  emailId: string,
  { position, status, at }: { position: number; status: RecipientStatus; at: Date },
): Promise<void> {
  await trx('email_recipients').where({ email_id: emailId, position }).update({ status, updated_at: at });
}
