import type { ClaimedAttachment } from '@posthorn/domain/attachments';
import type { Tracking } from '@posthorn/domain/links';
import type { TemplateVars } from '@posthorn/domain/templates';
import { type Db, inPipeline, type Statement } from '@posthorn/platform/postgres';
import { toTraceId } from '@posthorn/platform/traces';

/** Which request asked for an email. The service's own mail has no request, and most requests are not traced. */
export type EmailOrigin = {
  readonly requestId?: string | null;
  /** The W3C traceparent under which the request was traced, by the client or by us. */
  readonly traceparent?: string | null;
};

export type LoggedEmail = EmailOrigin & { readonly id: string };

/** What every log line about an email contains: its id, and those of the request and the trace that it comes from. */
export function toLogFields({ id, requestId, traceparent }: LoggedEmail): object {
  return {
    emailId: id,
    ...(requestId && { requestId }),
    ...(traceparent && { traceId: toTraceId(traceparent) }),
  };
}

/** @returns null if the content of the email is no longer stored */
export async function findEmailOrigin(db: Db, id: string): Promise<EmailOrigin | null> {
  const row: EmailOrigin | undefined = await db('email_contents')
    .select('request_id as requestId', 'traceparent')
    .where({ email_id: id })
    .first();
  return row ?? null;
}

/** What the message of an email is built from. */
export type StoredMessage = EmailOrigin & {
  readonly id: string;
  readonly workspaceId: string;
  /** If the content is no longer stored, the message can never be built. */
  readonly hasContent: boolean;
  /** The sending domain that the email comes from; null for the platform domain. */
  readonly domainId: string | null;
  /** As written in headers: `Name <local@domain>`. */
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly replyTo: readonly string[];
  readonly subject: string;
  /** `html` and `text` are also null if too large to be read with the rest; `contentBytes` is then positive. */
  readonly html: string | null;
  readonly text: string | null;
  /** Size of the stored html and text; 0 for an email from a template. */
  readonly contentBytes: number;
  readonly template: { readonly id: string; readonly version: number; readonly vars: TemplateVars } | null;
  readonly attachments: readonly ClaimedAttachment[];
  readonly headers: Readonly<Record<string, string>>;
  /** The Date of the message: when it should be sent. Spam filters distrust mail whose Date is days old. */
  readonly date: Date;
  /** What the recipient can unsubscribe from; null for mail that one cannot unsubscribe from. */
  readonly topic: string | null;
  /** What the html reports when it is read; null if it reports nothing. */
  readonly tracking: Tracking | null;
  /**
   * What happened to the sending domain after the email was accepted; null if nothing did, or if the email comes from
   * the platform domain.
   */
  readonly senderLost: 'withdrawn' | 'deleted' | null;
};

/**
 * Larger bodies stay in Postgres until there is memory for them (`findLargeContent`), because one claim can take many
 * emails at once.
 */
const MAX_READ_CONTENT_BYTES = 256_000;

/**
 * SQL: the columns of `MessageRow`, except for the attachments. Needs the tables emails, contents and
 * `SIZE_OF_CONTENT`.
 */
export const MESSAGE_COLUMNS = `
      emails.id, emails.workspace_id as "workspaceId", emails.domain_id as "domainId", emails.from_ as "from",
      emails."to", emails.subject, emails.template_id as "templateId", emails.template_version as "templateVersion",
      coalesce(emails.scheduled_at, emails.created_at) as date, emails.topic, emails.tracking, contents.email_id is not null as "isStored",
      case when size.bytes <= ${MAX_READ_CONTENT_BYTES} then contents.html end as html,
      case when size.bytes <= ${MAX_READ_CONTENT_BYTES} then contents.text end as text,
      size.bytes as "contentBytes", contents.template_vars as "templateVars", contents.cc,
      contents.reply_to as "replyTo", contents.headers, contents.request_id as "requestId", contents.traceparent`;

/** SQL: joins the size of an email's html and text. */
export const SIZE_OF_CONTENT = `
    cross join lateral (
      select coalesce(octet_length(contents.html), 0) + coalesce(octet_length(contents.text), 0) as bytes
    ) as size`;

/** SQL: the attachments of an email. @param emailId the column with its id */
export function buildAttachmentsSql(emailId: string): string {
  return `
        select coalesce(json_agg(json_build_object(
          'sha256', encode(sha256, 'hex'), 'size', blobs.size, 'filename', filename, 'contentType', content_type,
          'contentId', content_id, 'objectKey', object_key
        ) order by position), '[]') as list
        from email_attachments join blobs using (workspace_id, sha256)
        where email_attachments.email_id = ${emailId}`;
}

export type MessageRow = Omit<
  Required<StoredMessage>,
  'hasContent' | 'cc' | 'replyTo' | 'headers' | 'attachments' | 'template' | 'senderLost'
> & {
  isStored: boolean;
  cc: string[] | null;
  replyTo: string[] | null;
  headers: Record<string, string> | null;
  /** null for an email that was accepted without attachments. */
  attachments: ClaimedAttachment[] | null;
  templateId: string | null;
  templateVersion: number | null;
  templateVars: TemplateVars | null;
};

/** Every field is listed by name, because V8 needs a lookup per field to spread an object. */
export function toStoredMessage(row: MessageRow): StoredMessage {
  return {
    id: row.id,
    workspaceId: row.workspaceId,
    hasContent: row.isStored && row.attachments?.length !== 0,
    domainId: row.domainId,
    from: row.from,
    to: row.to,
    cc: row.cc ?? [],
    replyTo: row.replyTo ?? [],
    subject: row.subject,
    html: row.html,
    text: row.text,
    contentBytes: row.contentBytes,
    template: toTemplate(row),
    attachments: row.attachments ?? [],
    headers: row.headers ?? {},
    date: row.date,
    topic: row.topic,
    tracking: row.tracking,
    senderLost: null,
    requestId: row.requestId,
    traceparent: row.traceparent,
  };
}

function toTemplate({ templateId: id, templateVersion: version, templateVars }: MessageRow): StoredMessage['template'] {
  return id === null || version === null ? null : { id, version, vars: templateVars ?? {} };
}

const MESSAGE: Statement = {
  name: 'stored_message',
  text: `
    select ${MESSAGE_COLUMNS}, (${buildAttachmentsSql('emails.id')} having count(*) > 0) as attachments
    from emails
    left join email_contents as contents on contents.email_id = emails.id
    ${SIZE_OF_CONTENT}
    where emails.workspace_id = $1 and emails.id = $2`,
};

/**
 * Reads what the message of an email is built from, to show it. What has happened to the sending domain since does
 * not matter here, so `senderLost` is null.
 * @returns null when the workspace has no such email
 */
export async function findStoredMessage(db: Db, workspaceId: string, id: string): Promise<StoredMessage | null> {
  const [row] = await inPipeline(db, (send) => send<MessageRow>(MESSAGE, [workspaceId, id]));
  return row ? toStoredMessage(row) : null;
}

const LARGE_CONTENT: Statement = {
  name: 'large_content',
  text: 'select html, text from email_contents where email_id = $1',
};

/** Reads the html and text that were too large to be read with the rest; null if they no longer exist. */
export async function findLargeContent(db: Db, id: string): Promise<Pick<StoredMessage, 'html' | 'text'> | null> {
  const [row] = await inPipeline(db, (send) => send<Pick<MessageRow, 'html' | 'text'>>(LARGE_CONTENT, [id]));
  return row ?? null;
}
