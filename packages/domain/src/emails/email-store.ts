import { DEFAULT_PRIORITY, priorities } from '@posthorn/contract';
import { listAttachments } from '@posthorn/domain/attachments';
import { limits } from '@posthorn/domain/limits';
import type { Workspace } from '@posthorn/domain/workspaces';
import { type Db, inSnapshot, type Pagination, readTextsApart } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';
import type { EmailDetail, EmailSummary, RecipientState, StoredContent } from './email.js';
import { listAttempts, listEvents } from './email-history-store.js';
import { type SummaryRow, toSummary } from './summary-row.js';
import { selectSummaries } from './summary-store.js';

/**
 * Reads all parts of an email in one snapshot, because a worker may be writing an outcome at the same time.
 * @param withContent whether the caller may read the bodies and template variables
 */
export async function findEmail(
  db: Db,
  workspaceId: string,
  id: string,
  { withContent }: { withContent: boolean },
): Promise<EmailDetail | null> {
  return inSnapshot(db, async (trx) => {
    const row = await selectSummaries(trx)
      .select(detailColumns)
      .where({ 'emails.workspace_id': workspaceId, id })
      .first();
    if (!row) return null;
    return {
      ...toDetail(row),
      ...(await findContent(trx, id, withContent)),
      recipients: await listRecipients(trx, id),
      ...(await findHistory(trx, id)),
    };
  });
}

/** What only the details of an email have, in addition to `selectSummaries`. */
export const detailColumns = ['priority', 'expires_at', 'topic', 'domain_id', 'template_version', 'erased_at']
  .map((column) => `emails.${column}`)
  .concat('deliveries.due_at', 'deliveries.is_due');

export type DetailRow = SummaryRow & {
  priority: number;
  expires_at: Date | null;
  topic: string | null;
  domain_id: string | null;
  template_version: number | null;
  erased_at: Date | null;
  /** This and `is_due` are null for a finished email. */
  due_at: Date | null;
  /** Null for a parked email. */
  is_due: boolean | null;
};

/** The parts of an email that are in its own row. */
export function toDetail(row: DetailRow) {
  const isParked = row.due_at !== null && row.is_due === null;
  return {
    ...toSummary(row),
    priority: priorities[row.priority] ?? DEFAULT_PRIORITY,
    expiresAt: row.expires_at,
    topic: row.topic,
    domainId: row.domain_id,
    templateVersion: row.template_version,
    erasedAt: row.erased_at,
    nextAttemptAt: row.status === 'deferred' && !isParked ? row.due_at : null,
    isParked,
  };
}

async function findContent(trx: Knex, id: string, withContent: boolean) {
  const query = trx('email_contents')
    .select('template_vars', 'cc', 'bcc', 'reply_to', 'headers')
    .where({ email_id: id });
  const [row]: ContentRow[] = await (withContent ? readTextsApart<ContentRow>(query, ['html', 'text']) : query);
  return toContent(row, withContent && row ? await listAttachments(trx, id) : null);
}

/**
 * The parts of an email that are stored with its content.
 * @param row undefined if the content is no longer stored
 * @param attachments null to leave the content out
 */
export function toContent(row: ContentRow | undefined, attachments: StoredContent['attachments'] | null) {
  return {
    cc: row?.cc ?? [],
    bcc: row?.bcc ?? [],
    replyTo: row?.reply_to ?? [],
    headers: row?.headers ?? {},
    contentRemoved: !row,
    content:
      row && attachments ? { html: row.html, text: row.text, templateVars: row.template_vars, attachments } : null,
  };
}

export type ContentRow = {
  cc: string[];
  bcc: string[];
  reply_to: string[];
  headers: Record<string, string>;
  html: string | null;
  text: string | null;
  template_vars: Record<string, unknown> | null;
};

const NEWEST: Pagination = { limit: limits.pageSize.max, after: null, before: null };

async function findHistory(trx: Knex, id: string) {
  const attempts = await listAttempts(trx, id, NEWEST);
  const events = await listEvents(trx, id, NEWEST);
  return {
    attempts: attempts.rows.toReversed(),
    attemptsNextCursor: attempts.nextCursor,
    events: events.rows.toReversed(),
    eventsNextCursor: events.nextCursor,
  };
}

export const recipientColumns = ['kind', 'address', 'status', 'smtp_code', 'smtp_response', 'bounce_class'];

async function listRecipients(trx: Knex, id: string): Promise<RecipientState[]> {
  return (await trx('email_recipients').select(recipientColumns).where({ email_id: id }).orderBy('position')).map(
    toRecipient,
  );
}

export type RecipientRow = Omit<RecipientState, 'smtpCode' | 'smtpResponse'> & {
  smtp_code: number | null;
  smtp_response: string | null;
  bounce_class: RecipientState['bounceClass'];
};

export function toRecipient(row: RecipientRow): RecipientState {
  const { kind, address, status, smtp_code: smtpCode, smtp_response: smtpResponse, bounce_class: bounceClass } = row;
  return { kind, address, status, smtpCode, smtpResponse, bounceClass };
}

/** @returns null when the workspace has no such email */
export async function findEmailSummary(db: Knex, workspaceId: string, id: string): Promise<EmailSummary | null> {
  const row = await selectSummaries(db).where({ 'emails.workspace_id': workspaceId, id }).first();
  return row ? toSummary(row) : null;
}

/** Only for the operator. All other callers must specify the workspace. */
export async function findWorkspaceOfEmail(db: Knex, id: string): Promise<Pick<Workspace, 'id' | 'liveId'> | null> {
  const row = await db('email_recipients')
    .join('workspaces', 'workspaces.id', 'email_recipients.workspace_id')
    .select('workspaces.id', 'workspaces.test_of')
    .where({ email_id: id })
    .first();
  return row ? { id: row.id, liveId: row.test_of ?? row.id } : null;
}
