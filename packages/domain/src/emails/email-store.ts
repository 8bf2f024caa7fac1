import type { Knex } from 'knex';
import type { Db } from '../database/connect.js';
import type { DeliveryAttempt, EmailDetail, EmailEvent, RecipientState } from './email.js';
import { DEFAULT_PRIORITY, priorities } from './priority.js';
import { toSummary } from './summary-row.js';
import { selectSummaries } from './summary-store.js';

/**
 * Reads all parts of an email in one snapshot, because a worker may be writing its outcome at the same time.
 * @param withContent whether the caller may read the bodies and variables
 */
export async function findEmail(
  db: Db,
  workspaceId: string,
  id: string,
  { withContent }: { withContent: boolean },
): Promise<EmailDetail | null> {
  return db.transaction(
    async (trx) => {
      const row = await selectSummaries(trx)
        .select('emails.priority', 'expires_at', 'domain_id', 'template_version', 'deliveries.due_at')
        .where({ 'emails.workspace_id': workspaceId, id })
        .first();
      if (!row) return null;
      return {
        ...toSummary(row),
        priority: priorities[row.priority] ?? DEFAULT_PRIORITY,
        expiresAt: row.expires_at,
        domainId: row.domain_id,
        templateVersion: row.template_version,
        nextAttemptAt: row.status === 'deferred' ? row.due_at : null,
        ...(await findContent(trx, id, withContent)),
        recipients: await listRecipients(trx, id),
        attempts: await listAttempts(trx, id),
        events: await listEvents(trx, id),
      };
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
}

async function findContent(trx: Knex, id: string, withContent: boolean) {
  const columns = ['html', 'text', 'template_vars', 'cc', 'bcc', 'reply_to', 'headers'];
  const row = await trx('email_contents').select(columns).where({ email_id: id }).first();
  return {
    cc: row?.cc ?? [],
    bcc: row?.bcc ?? [],
    replyTo: row?.reply_to ?? [],
    headers: row?.headers ?? {},
    content: withContent && row ? { html: row.html, text: row.text, templateVars: row.template_vars } : null,
  };
}

async function listRecipients(trx: Knex, id: string): Promise<RecipientState[]> {
  const columns = ['kind', 'address', 'status', 'smtp_code', 'smtp_response'];
  return (await trx('email_recipients').select(columns).where({ email_id: id }).orderBy('position')).map(toRecipient);
}

/** An attempt gets its row when it ends. Until then, the delivery shows when it started. */
async function listAttempts(trx: Knex, id: string): Promise<DeliveryAttempt[]> {
  const { rows } = await trx.raw(
    `select attempt, route, phase, outcome, conversation, started_at, ended_at
     from delivery_attempts where email_id = :id
     union all
     select attempt, null, null, null, '{}', claimed_at, null
     from deliveries where email_id = :id and lease_until is not null
     order by attempt`,
    { id },
  );
  return rows.map(toAttempt);
}

async function listEvents(trx: Knex, id: string): Promise<EmailEvent[]> {
  const columns = ['type', 'recipient', 'detail', 'created_at'];
  return (await trx('email_events').select(columns).where({ email_id: id }).orderBy('id')).map(toEvent);
}

type RecipientRow = Omit<RecipientState, 'smtpCode' | 'smtpResponse'> & {
  smtp_code: number | null;
  smtp_response: string | null;
};

function toRecipient({ kind, address, status, smtp_code, smtp_response }: RecipientRow): RecipientState {
  return { kind, address, status, smtpCode: smtp_code, smtpResponse: smtp_response };
}

type AttemptRow = Omit<DeliveryAttempt, 'startedAt' | 'endedAt'> & { started_at: Date; ended_at: Date | null };

function toAttempt({ started_at, ended_at, ...rest }: AttemptRow): DeliveryAttempt {
  return { ...rest, startedAt: started_at, endedAt: ended_at };
}

type EventRow = Omit<EmailEvent, 'createdAt'> & { created_at: Date };

function toEvent({ created_at, ...rest }: EventRow): EmailEvent {
  return { ...rest, createdAt: created_at };
}

/** For the operator only. All other callers must give the workspace. */
export async function findWorkspaceOfEmail(db: Knex, id: string): Promise<string | null> {
  const row = await db('email_recipients').select('workspace_id').where({ email_id: id }).first();
  return row?.workspace_id ?? null;
}
