import type { EmailStatus, RecipientStatus } from '@posthorn/contract';
import type { Knex } from 'knex';

/** What replaces the subject. */
export const ERASED_SUBJECT = '(erased)';

/** The domain of the addresses that replace erased ones. RFC 2606, 2 reserves `.invalid`, so they never exist. */
export const ERASED_DOMAIN = 'erased.invalid';

/** Whether an address has replaced one that was erased. */
export function isErasedAddress(address: string): boolean {
  return address.endsWith(`@${ERASED_DOMAIN}`);
}

/** What replaces the lines of an SMTP conversation. */
const ERASED_CONVERSATION = '-- The conversation was erased';

/**
 * SQL: the address that replaces an erased one. It depends only on the position of the recipient in its email, so it
 * tells nothing about the address, and two erased recipients of one email have different ones.
 */
function erasedAddressSql(position: string): string {
  return `'erased-' || (${position} + 1) || '@${ERASED_DOMAIN}'`;
}

/** SQL: whether `Name <local@domain>` or `local@domain` is the address `:address`, which is in lower case. */
export function isAddressSql(text: string): string {
  return `(lower(${text}) = :address or right(lower(${text}), length(:address) + 2) = '<' || :address || '>')`;
}

/** Finished emails of one workspace, in the order of their ids, and the address to erase from them in lower case. */
type EmailsToErase = { readonly workspaceId: string; readonly ids: readonly string[]; readonly address: string };

/**
 * Erases the content of the emails and the address. Statuses, times, SMTP codes and the other recipients stay. The
 * order matters: tags are found through the email, and events and recipients through the address.
 */
export async function eraseRows(trx: Knex, { workspaceId, ids, address }: EmailsToErase): Promise<void> {
  const values = {
    workspaceId,
    ids: [...ids],
    first: ids[0],
    address,
    subject: ERASED_SUBJECT,
    conversation: ERASED_CONVERSATION,
  };
  for (const statement of STATEMENTS) await trx.raw(statement, values);
}

/** The lower bound spares Postgres the older partitions. */
const ofEmails = (column: string) => `${column} = any(:ids::uuid[]) and ${column} >= :first::uuid`;

/** A request that is storing the same file right now needs its content for a few more seconds. */
const KEPT_CONTENT = '1 minute';

const STATEMENTS: readonly string[] = [
  `delete from email_tags using emails
   where emails.workspace_id = :workspaceId and ${ofEmails('emails.id')}
     and email_tags.workspace_id = emails.workspace_id and tag = any(emails.tags) and email_id = emails.id`,

  `update emails
   set subject = :subject, tags = '{}', erased_at = now(), "to" = array(
     select case when ${isAddressSql('entry')} then ${erasedAddressSql('n - 1')} else entry end
     from unnest("to") with ordinality as addresses (entry, n) order by n
   )
   where workspace_id = :workspaceId and ${ofEmails('id')}`,

  `delete from email_contents where ${ofEmails('email_id')}`,

  // The clean-up gives back their room in the storage, because usage rows must be locked before those of storage.
  `update counted_mail set kept_until = now() where ${ofEmails('email_id')} and kept_until is null`,

  `with deleted as (
     delete from email_attachments where ${ofEmails('email_id')} returning workspace_id, sha256
   )
   update blobs set kept_until = least(kept_until, now() + interval '${KEPT_CONTENT}')
   from (select distinct workspace_id, sha256 from deleted) as unused
   where blobs.workspace_id = unused.workspace_id and blobs.sha256 = unused.sha256`,

  `update delivery_attempts set conversation = array[:conversation::text]
   where ${ofEmails('email_id')} and conversation <> '{}'`,

  `update events set recipient = ${erasedAddressSql('email_recipients.position')}, detail = null
   from email_recipients
   where ${ofEmails('email_id')} and lower(address) = :address
     and ${ofEmails('stream_id')} and stream_id = email_id and lower(recipient) = :address`,

  `update events set detail = null
   where ${ofEmails('stream_id')} and detail is not null
     and (recipient is null or strpos(lower(detail), :address) > 0)`,

  // A link may identify the person that it was made for.
  `update events set data = data - 'url' where ${ofEmails('stream_id')} and type = 'email.clicked'`,

  `update feedback_reports set raw = null where ${ofEmails('email_id')}`,

  `update email_recipients set smtp_response = null
   where ${ofEmails('email_id')} and strpos(lower(smtp_response), :address) > 0`,

  `update email_recipients set address = ${erasedAddressSql('position')}, smtp_response = null
   where ${ofEmails('email_id')} and lower(address) = :address`,
];

/** Those of the emails that workers may still need: they are waiting or being sent. */
export async function listUnfinished(trx: Knex, ids: readonly string[]): Promise<string[]> {
  const { rows } = await trx.raw('select email_id from deliveries where email_id = any(?::uuid[])', [[...ids]]);
  return rows.map(({ email_id }: { email_id: string }) => email_id);
}

export async function listAttemptNumbers(
  trx: Knex,
  ids: readonly string[],
): Promise<Array<{ readonly emailId: string; readonly attempt: number }>> {
  const { rows } = await trx.raw(
    `select email_id as "emailId", attempt from delivery_attempts
     where email_id = any(:ids::uuid[]) and email_id >= :first::uuid`,
    { ids: [...ids], first: ids[0] ?? null },
  );
  return rows;
}

/**
 * Erases what receivers answered to the events of these emails. Some receivers repeat the request in their answer, and
 * so the address.
 * @param ids in order
 */
export async function eraseWebhookResponses(trx: Knex, workspaceId: string, ids: readonly string[]): Promise<void> {
  await trx.raw(
    `update webhook_deliveries
     set attempts = (
       select jsonb_agg(attempt || '{"body": ""}' order by n)
       from jsonb_array_elements(attempts) with ordinality as made (attempt, n)
     )
     where webhook_id = any(array(select id from webhooks where workspace_id = :workspaceId))
       and event_id = any(array(select id from events where stream_id = any(:ids::uuid[]) and stream_id >= :first::uuid))
       and attempts <> '[]'`,
    { workspaceId, ids: [...ids], first: ids[0] ?? null },
  );
}

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
