import type {
  AcceptedBatch,
  AcceptedEmail,
  Attachment,
  Attempt,
  EmailCheck as EmailCheckJson,
  EmailEvent as EmailEventJson,
  Email as EmailJson,
  EmailStats as EmailStatsJson,
  EmailSummary as EmailSummaryJson,
  Mode,
  RefusedEmail,
  Report,
  Tag,
} from '@posthorn/contract';
import type { EmailCheck, NewEmail, NewEmails, RefusedDraft } from '@posthorn/domain/accepting';
import type { StoredAttachment } from '@posthorn/domain/attachments';
import type { StoredReport } from '@posthorn/domain/bounces';
import {
  buildMessageId,
  type DeliveryAttempt,
  type EmailDetail,
  type EmailEvent,
  type EmailStats,
  type EmailSummary,
} from '@posthorn/domain/emails';
import { formatAddress } from '@posthorn/domain/format';

/** The body of the 202 response, as the text that is stored with an Idempotency-Key. */
export function viewAccepted([email]: NewEmails): string {
  return JSON.stringify(toAccepted(email));
}

/** The body of the 202 response to a batch, also as text. It lists the emails in the order of the request. */
export function viewAcceptedBatch(emails: NewEmails): string {
  const batch: AcceptedBatch = { object: 'list', data: emails.map(toAccepted) };
  return JSON.stringify(batch);
}

/** As `viewAcceptedBatch`, and says which emails were refused. */
export function viewPermissiveBatch(emails: NewEmails, refused: readonly RefusedDraft[]): string {
  const batch: AcceptedBatch = { object: 'list', data: emails.map(toAccepted), errors: refused.map(toRefused) };
  return JSON.stringify(batch);
}

function toRefused({ index, refusal: { code, message, extras } }: RefusedDraft): RefusedEmail {
  return { index, code, message, ...(extras.faults && { errors: [...extras.faults] }) };
}

function toAccepted(email: NewEmail): AcceptedEmail {
  return {
    object: 'email',
    id: email.id,
    mode: email.mode,
    status: email.status,
    from_: formatAddress(email.from),
    to: email.request.to.map(formatAddress),
    subject: email.subject,
    created_at: email.createdAt.toISOString(),
    scheduled_at: email.request.scheduledAt?.toISOString() ?? null,
    warnings: email.warnings,
  };
}

export function viewCheck(check: EmailCheck): EmailCheckJson {
  return {
    object: 'email_check',
    would_send: check.wouldSend,
    from_: formatAddress(check.sender.from),
    sender_reason: check.sender.reason,
    subject: check.subject,
    html: check.html,
    text: check.text,
    recipients: check.recipients.map(({ address, suppression }) => ({
      address,
      status: suppression === null ? 'ok' : 'suppressed',
      reason: suppression,
    })),
    missing_variables: [...check.missingVariables],
    size_bytes: check.sizeBytes,
    sends: check.recipients.length,
    remaining: check.remaining,
    authentication: check.authentication,
    warnings: check.warnings,
  };
}

export function viewSummary(email: EmailSummary, mode: Mode): EmailSummaryJson {
  return {
    object: 'email',
    id: email.id,
    mode,
    status: email.status,
    from_: email.from,
    to: email.to,
    subject: email.subject,
    template_id: email.templateId,
    tags: email.tags.map(viewTag),
    created_at: email.createdAt.toISOString(),
    scheduled_at: email.scheduledAt?.toISOString() ?? null,
  };
}

/** @param explanation from `explainEmail` */
export function viewEmail(email: EmailDetail, mode: Mode, explanation: string): EmailJson {
  return {
    ...viewSummary(email, mode),
    explanation,
    cc: email.cc,
    bcc: email.bcc,
    reply_to: email.replyTo,
    headers: email.headers,
    priority: email.priority,
    expires_at: email.expiresAt?.toISOString() ?? null,
    unsubscribe: email.topic === null ? null : { topic: email.topic },
    domain_id: email.domainId,
    template_version: email.templateVersion,
    next_attempt_at: email.nextAttemptAt?.toISOString() ?? null,
    parked: email.isParked,
    message_id: buildMessageId(email.id, email.from),
    content_removed: email.contentRemoved,
    erased_at: email.erasedAt?.toISOString() ?? null,
    html: email.content?.html ?? null,
    text: email.content?.text ?? null,
    template_vars: email.content?.templateVars ?? null,
    attachments: email.content?.attachments.map(viewAttachment) ?? null,
    recipients: email.recipients.map(({ address, kind, status, smtpCode, smtpResponse, bounceClass }) => ({
      address,
      kind,
      status,
      smtp_code: smtpCode,
      smtp_response: smtpResponse,
      bounce_class: bounceClass,
    })),
    attempts: email.attempts.map(viewAttempt),
    attempts_next_cursor: email.attemptsNextCursor,
    events: email.events.map(viewEmailEvent),
    events_next_cursor: email.eventsNextCursor,
  };
}

export function viewStats({
  since,
  emails,
  truncated,
  statuses,
  deliveryRate,
  bounceRate,
}: EmailStats): EmailStatsJson {
  return {
    object: 'email_stats',
    since: since.toISOString(),
    emails,
    truncated,
    statuses,
    delivery_rate: deliveryRate,
    bounce_rate: bounceRate,
  };
}

export function viewAttempt({ startedAt, endedAt, ...rest }: DeliveryAttempt): Attempt {
  return { ...rest, started_at: startedAt.toISOString(), ended_at: endedAt?.toISOString() ?? null };
}

export function viewReport({ receivedAt, ...rest }: StoredReport): Report {
  return { object: 'report', ...rest, received_at: receivedAt.toISOString() };
}

export function viewEmailEvent({ id, sequence, type, recipient, detail, createdAt }: EmailEvent): EmailEventJson {
  return { id, sequence, type, created_at: createdAt.toISOString(), recipient, detail };
}

function viewAttachment({ filename, contentType, contentId, size }: StoredAttachment): Attachment {
  return { filename, content_type: contentType, content_id: contentId, size };
}

function viewTag(text: string): Tag {
  const colon = text.indexOf(':');
  return { name: text.slice(0, colon), value: text.slice(colon + 1) };
}
