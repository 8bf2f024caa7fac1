import type { Knex } from 'knex';
import type { EmailStatus, RecipientStatus } from './email-status.js';

/** An email whose rows are locked. */
export type LockedEmail = {
  readonly id: string;
  readonly status: EmailStatus;
  readonly recipients: ReadonlyArray<{
    readonly position: number;
    readonly address: string;
    readonly status: RecipientStatus;
  }>;
  readonly workspaceId: string;
  /** The live workspace; null for test mail. */
  readonly liveId: string | null;
  /** Whether a worker is sending it. Its outcome is not known yet. */
  readonly isBeingSent: boolean;
  /** The sequence of its latest event. */
  readonly lastSequence: number;
  /** Whether somebody complained, but nobody knows which of the recipients. */
  readonly hasUnattributedComplaint: boolean;
};

/**
 * Locks emails and reads them as they are then. The queue entry is locked first, as workers do; an email without one is
 * finished, and its own row is the lock. Emails that no longer exist are left out.
 */
export async function lockEmails(trx: Knex, ids: readonly string[]): Promise<LockedEmail[]> {
  const given = [[...ids]];
  const deliveries = await trx.raw(
    `select email_id, lease_until is not null as is_being_sent, last_sequence from deliveries
     where email_id = any(?::uuid[]) order by email_id for update`,
    given,
  );
  const emails = await trx.raw(
    `with wanted as (
       select distinct email_id, workspace_id from email_recipients where email_id = any(?::uuid[])
     )
     select emails.id, emails.workspace_id, status from emails
     join wanted on emails.workspace_id = wanted.workspace_id and emails.id = wanted.email_id
     order by emails.workspace_id, emails.id for update of emails`,
    given,
  );
  const recipients = await trx.raw(
    'select email_id, position, address, status from email_recipients where email_id = any(?::uuid[]) order by position',
    given,
  );
  const sequences = await trx.raw(
    `select stream_id, max(sequence) as last,
       bool_or(type = 'email.complained' and recipient is null) as has_unattributed_complaint
     from events where stream_id = any(?::uuid[]) group by stream_id`,
    given,
  );
  const workspaces = await trx('workspaces')
    .select('id')
    .whereNull('test_of')
    .whereIn(
      'id',
      emails.rows.map((email: EmailRow) => email.workspace_id),
    );
  const liveIds = new Set(workspaces.map(({ id }) => id));
  return emails.rows.map(({ id, workspace_id: workspaceId, status }: EmailRow): LockedEmail => {
    const delivery = deliveries.rows.find((row: { email_id: string }) => row.email_id === id);
    const sequence = sequences.rows.find((row: { stream_id: string }) => row.stream_id === id);
    return {
      id,
      status,
      workspaceId,
      liveId: liveIds.has(workspaceId) ? workspaceId : null,
      isBeingSent: delivery?.is_being_sent ?? false,
      lastSequence: Math.max(delivery?.last_sequence ?? 0, sequence?.last ?? 0),
      hasUnattributedComplaint: sequence?.has_unattributed_complaint ?? false,
      recipients: recipients.rows.filter((row: { email_id: string }) => row.email_id === id),
    };
  });
}

type EmailRow = { id: string; workspace_id: string; status: LockedEmail['status'] };
