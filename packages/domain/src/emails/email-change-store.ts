import type { EmailEventType, EmailStatus, RecipientStatus } from '@posthorn/contract';
import { Refusal } from '@posthorn/domain/errors';
import { newId } from '@posthorn/platform/values';
import type { Knex } from 'knex';

/**
 * An email that may be changed: no worker holds it, and no mail server may have it.
 * @property lastSequence the sequence of its latest event
 */
export type UnclaimedEmail = { readonly id: string; readonly workspaceId: string; readonly lastSequence: number };

export async function lockChangeableEmails(trx: Knex, ids: readonly string[]): Promise<UnclaimedEmail[]> {
  const { rows } = await trx.raw(
    `select email_id as id, workspace_id as "workspaceId", last_sequence as "lastSequence"
     from deliveries where email_id = any(?::uuid[]) and lease_until is null and ambiguous_attempts = 0
     order by email_id for update`,
    [[...ids]],
  );
  return rows;
}

type ChangeableEmail = UnclaimedEmail & {
  readonly status: EmailStatus;
  readonly acceptedAt: Date;
  readonly scheduledAt: Date | null;
  readonly expiresAt: Date | null;
};

/**
 * Locks one email that may still be changed. A worker's claim updates the row that this function locks. If the claim
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
  const email: Omit<ChangeableEmail, keyof UnclaimedEmail> | undefined = await trx('emails')
    .select('status', 'created_at as acceptedAt')
    .select('scheduled_at as scheduledAt', 'expires_at as expiresAt')
    .where({ id, workspace_id: workspaceId })
    .first();
  if (!email) throw new Refusal('not_found', { what: 'email' });
  const { status } = email;
  if (!delivery) throw new Refusal('not_cancelable', { status, isAmbiguous: false });
  if (delivery.lease_until) throw new Refusal('not_cancelable', { status: 'sending', isAmbiguous: false });
  if (delivery.ambiguous_attempts > 0) throw new Refusal('not_cancelable', { status, isAmbiguous: true });
  return { id, workspaceId, lastSequence: delivery.last_sequence, ...email };
}

/** An email whose rows are locked. */
export type LockedEmail = {
  readonly id: string;
  readonly status: EmailStatus;
  readonly recipients: ReadonlyArray<{
    readonly position: number;
    readonly address: string;
    readonly status: RecipientStatus;
    /** The relay with feedback that took the message, or may have taken it; null for other mail. */
    readonly relayId: string | null;
  }>;
  /** What its recipient can unsubscribe from; null for all mail. */
  readonly topic: string | null;
  readonly workspaceId: string;
  readonly isTest: boolean;
  /** Whether a worker is sending it. Its outcome is not known yet. */
  readonly isBeingSent: boolean;
  readonly lastSequence: number;
  readonly complaints: readonly LoggedComplaint[];
  /** The recipients that have unsubscribed, according to the event log. */
  readonly unsubscribed: readonly (string | null)[];
};

/** A complaint in the event log. */
type LoggedComplaint = {
  /** null if it hides which of several recipients complained. */
  readonly recipient: string | null;
  /** Whether a mailbox provider has signed it. */
  readonly isAuthenticated: boolean;
};

/**
 * Locks emails and reads them as they are then. The queue entry is locked first, as workers do; an email without one is
 * finished, and its own row is the lock. Emails that no longer exist are left out.
 */
export async function lockEmails(trx: Knex, ids: readonly string[]): Promise<LockedEmail[]> {
  const deliveries = await lockDeliveries(trx, ids);
  const emails = await lockEmailRows(trx, ids);
  const recipients = await readRecipients(trx, ids);
  const histories = await readHistories(trx, ids);
  return emails.map(({ id, workspaceId, status, isTest, topic }): LockedEmail => {
    const delivery = deliveries.find(({ emailId }) => emailId === id);
    const history = histories.find(({ emailId }) => emailId === id);
    return {
      id,
      status,
      workspaceId,
      isTest,
      topic,
      isBeingSent: delivery?.isBeingSent ?? false,
      lastSequence: Math.max(delivery?.lastSequence ?? 0, history?.lastSequence ?? 0),
      complaints: history?.complaints ?? [],
      unsubscribed: history?.unsubscribed ?? [],
      recipients: recipients
        .filter(({ emailId }) => emailId === id)
        .map(({ emailId: _, ...recipient }) => ({
          ...recipient,
          relayId: delivery?.staysWith?.[recipient.position] ?? recipient.relayId,
        })),
    };
  });
}

type DeliveryRow = {
  emailId: string;
  isBeingSent: boolean;
  lastSequence: number;
  /** The relays that may have the message, by the position of the recipient. */
  staysWith: Readonly<Record<number, string>> | null;
};

async function lockDeliveries(trx: Knex, ids: readonly string[]): Promise<DeliveryRow[]> {
  const { rows } = await trx.raw(
    `select email_id as "emailId", lease_until is not null as "isBeingSent", last_sequence as "lastSequence",
       stays_with as "staysWith"
     from deliveries where email_id = any(?::uuid[]) order by email_id for update`,
    [[...ids]],
  );
  return rows;
}

type EmailRow = Pick<LockedEmail, 'id' | 'workspaceId' | 'status' | 'isTest' | 'topic'>;

/** An email can only be found with the id of its workspace, which is read from its recipients. */
async function lockEmailRows(trx: Knex, ids: readonly string[]): Promise<EmailRow[]> {
  const { rows } = await trx.raw(
    `with wanted as (
       select distinct email_id, workspace_id from email_recipients where email_id = any(?::uuid[])
     )
     select emails.id, emails.workspace_id as "workspaceId", status, topic,
       not exists (select from workspaces where id = emails.workspace_id and test_of is null) as "isTest"
     from emails join wanted on emails.workspace_id = wanted.workspace_id and emails.id = wanted.email_id
     order by emails.workspace_id, emails.id for update of emails`,
    [[...ids]],
  );
  return rows;
}

type RecipientRow = LockedEmail['recipients'][number] & { readonly emailId: string };

async function readRecipients(trx: Knex, ids: readonly string[]): Promise<RecipientRow[]> {
  const { rows } = await trx.raw(
    `select email_id as "emailId", position, address, status, relay_id as "relayId" from email_recipients
     where email_id = any(?::uuid[]) order by position`,
    [[...ids]],
  );
  return rows;
}

type HistoryRow = Pick<LockedEmail, 'lastSequence' | 'complaints' | 'unsubscribed'> & { readonly emailId: string };

async function readHistories(trx: Knex, ids: readonly string[]): Promise<HistoryRow[]> {
  const { rows } = await trx.raw(
    `select stream_id as "emailId", max(sequence) as "lastSequence",
       json_agg(json_build_object(
         'recipient', recipient, 'isAuthenticated', coalesce((data ->> 'authenticated')::boolean, false)
       )) filter (where type = 'email.complained') as complaints,
       json_agg(recipient) filter (where type = 'email.unsubscribed') as unsubscribed
     from events where stream_id = any(?::uuid[]) group by stream_id`,
    [[...ids]],
  );
  return rows;
}

export async function setCanceled(trx: Knex, workspaceId: string, id: string, status: EmailStatus): Promise<void> {
  await trx('deliveries').where({ email_id: id }).delete();
  await trx('emails').where({ workspace_id: workspaceId, id }).update({ status });
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
