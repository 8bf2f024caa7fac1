import {
  type BounceClass,
  DEFAULT_PRIORITY,
  type EmailStatus,
  type Priority,
  priorities,
  type RecipientKind,
  type RecipientStatus,
} from '@posthorn/contract';
import { listAttachments, type StoredAttachment } from '@posthorn/domain/attachments';
import { limits } from '@posthorn/domain/limits';
import { findUnsubscribeUrl, withLink } from '@posthorn/domain/links';
import { findTemplateVersion, renderContent, type TemplateReader, type TemplateVars } from '@posthorn/domain/templates';
import type { Workspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { type Db, inSnapshot, type Pagination, readTextsApart } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';
import { type DeliveryAttempt, type EmailEvent, listAttempts, listEvents } from './email-history-store.js';
import type { StoredWait } from './waits-for.js';

/** An email in a list, without its bodies and template variables. */
export type EmailSummary = {
  id: string;
  status: EmailStatus;
  from: string;
  to: string[];
  subject: string;
  templateId: string | null;
  tags: string[];
  createdAt: Date;
  scheduledAt: Date | null;
};

/** Everything about an email. `content` is null if the caller may not read it. */
export type EmailDetail = EmailSummary & {
  cc: string[];
  bcc: string[];
  replyTo: string[];
  headers: Record<string, string>;
  priority: Priority;
  expiresAt: Date | null;
  /** What the recipient can unsubscribe from; null for mail that one cannot unsubscribe from. */
  topic: string | null;
  domainId: string | null;
  templateVersion: number | null;
  /** Set only for a deferred email that is not parked. */
  nextAttemptAt: Date | null;
  /** Whether it waits for the operator after a restore. */
  isParked: boolean;
  /** What it waits for although it is due; null if it waits only for its time and a worker. */
  waitsFor: StoredWait | null;
  recipients: RecipientState[];
  /** The newest attempts, oldest first. */
  attempts: DeliveryAttempt[];
  /** Where `listAttempts` continues with older attempts; null if there are none. */
  attemptsNextCursor: string | null;
  /** The newest events, oldest first. */
  events: EmailEvent[];
  eventsNextCursor: string | null;
  content: StoredContent | null;
  /** Whether the content is no longer stored. cc, bcc, replyTo and headers are then empty. */
  contentRemoved: boolean;
  /** When a recipient was erased from the email; null if none was. */
  erasedAt: Date | null;
};

type StoredContent = {
  html: string | null;
  text: string | null;
  templateVars: Record<string, unknown> | null;
  attachments: StoredAttachment[];
};

export type RecipientState = {
  kind: RecipientKind;
  address: string;
  status: RecipientStatus;
  smtpCode: number | null;
  smtpResponse: string | null;
  /** Why a mail server refused it; null if none did. */
  bounceClass: BounceClass | null;
};

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
export const detailColumns = [
  ...['priority', 'expires_at as expiresAt', 'topic', 'domain_id as domainId', 'template_version as templateVersion'],
  'erased_at as erasedAt',
]
  .map((column) => `emails.${column}`)
  .concat('deliveries.due_at as dueAt', 'deliveries.is_due as isDue', 'deliveries.waits_for as waitsFor');

export type DetailRow = EmailSummary &
  Pick<EmailDetail, 'expiresAt' | 'topic' | 'domainId' | 'templateVersion' | 'erasedAt'> & {
    priority: number;
    /** This and `isDue` are null for a finished email. */
    dueAt: Date | null;
    /** Null for a parked email. */
    isDue: boolean | null;
    waitsFor: StoredWait | null;
  };

export function toDetail({ priority, dueAt, isDue, ...row }: DetailRow) {
  const isParked = dueAt !== null && isDue === null;
  return {
    ...row,
    priority: priorities[priority] ?? DEFAULT_PRIORITY,
    nextAttemptAt: row.status === 'deferred' && !isParked ? dueAt : null,
    isParked,
  };
}

async function findContent(trx: Knex, id: string, withContent: boolean) {
  const query = trx('email_contents').select(contentColumns).where({ email_id: id });
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
    replyTo: row?.replyTo ?? [],
    headers: row?.headers ?? {},
    contentRemoved: !row,
    content:
      row && attachments ? { html: row.html, text: row.text, templateVars: row.templateVars, attachments } : null,
  };
}

/** Without html and text, which may be large. */
export const contentColumns = ['template_vars as templateVars', 'cc', 'bcc', 'reply_to as replyTo', 'headers'];

export type ContentRow = Pick<EmailDetail, 'cc' | 'bcc' | 'replyTo' | 'headers'> & Omit<StoredContent, 'attachments'>;

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

export const recipientColumns = [
  ...['kind', 'address', 'status', 'smtp_code as smtpCode', 'smtp_response as smtpResponse'],
  'bounce_class as bounceClass',
];

async function listRecipients(trx: Knex, id: string): Promise<RecipientState[]> {
  return trx('email_recipients').select(recipientColumns).where({ email_id: id }).orderBy('position');
}

/** @returns null when the workspace has no such email */
export async function findEmailSummary(db: Knex, workspaceId: string, id: string): Promise<EmailSummary | null> {
  return (await selectSummaries(db).where({ 'emails.workspace_id': workspaceId, id }).first()) ?? null;
}

/** Which of these emails are from one of the sending domains. */
export async function listIdsFromDomains(
  db: Knex,
  workspaceId: string,
  { ids, domainIds }: { readonly ids: readonly string[]; readonly domainIds: readonly string[] },
): Promise<string[]> {
  return db('emails')
    .where({ workspace_id: workspaceId })
    .whereRaw('id = any(?::uuid[]) and domain_id = any(?::uuid[])', [[...ids], [...domainIds]])
    .pluck('id');
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

/** The status of an email. While a worker holds the email, only the queue entry shows that it is being sent. */
const STATUS = "case when deliveries.lease_until is null then emails.status else 'sending' end";

/** Selects the fields of `EmailSummary`. */
export function selectSummaries(db: Knex): Knex.QueryBuilder {
  return db('emails')
    .leftJoin('deliveries', 'deliveries.email_id', 'emails.id')
    .select(COLUMNS)
    .select(db.raw(`${STATUS} as status`));
}

const COLUMNS = [
  ...['id', 'from_ as from', 'to', 'subject', 'template_id as templateId', 'tags', 'created_at as createdAt'],
  'scheduled_at as scheduledAt',
].map((column) => `emails.${column}`);

/**
 * The content of an email. For an email from a template, that is the rendered html and text, as the recipient sees them.
 * Raw content is returned as it was sent, without the link for unsubscribing: someone who sends it again to another
 * recipient must not send this recipient's link.
 */
export async function renderStoredContent(
  ctx: TemplateReader & Pick<Context, 'config'>,
  workspaceId: string,
  email: EmailDetail,
): Promise<StoredContent | null> {
  const { content, templateId, templateVersion } = email;
  if (content === null || templateId === null || templateVersion === null) return content;
  const version = await findTemplateVersion(ctx, workspaceId, templateId, templateVersion);
  if (!version) return content;
  const vars = (content.templateVars ?? {}) as TemplateVars;
  const link = findUnsubscribeUrl(ctx.config, { ...email, workspaceId });
  return { ...content, ...renderContent(version, withLink(vars, link)) };
}
