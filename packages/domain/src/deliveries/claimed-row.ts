import type { ClaimedAttachment } from '../attachments/attachment.js';
import type { TemplateVars } from '../templates/template-variables.js';
import type { ClaimedEmail } from './claimed-email.js';
import { needs } from './needs.js';

/** A row returned by the claim statements. */
export type ClaimedRow = {
  id: string;
  workspace_id: string;
  attempt: number;
  deferrals: number;
  /** This and `unsent_attempts` are there only if the statement claims emails of stopped workers. */
  reclaimed?: ClaimedEmail['reclaimed'];
  unsent_attempts?: number;
  ambiguous_attempts: number;
  has_content: boolean;
  domain_id: string | null;
  from_: string;
  to: string[];
  cc: string[] | null;
  reply_to: string[] | null;
  subject: string;
  html: string | null;
  text: string | null;
  content_bytes: number;
  template_id: string | null;
  template_version: number | null;
  template_vars: TemplateVars | null;
  /** null for an email without attachments. */
  attachments: ClaimedAttachment[] | null;
  needs: number;
  headers: Record<string, string> | null;
  request_id: string | null;
  created_at: Date;
  first_due_at: Date;
  expires_at: Date | null;
  sender_lost: ClaimedEmail['senderLost'];
  recipients: ClaimedEmail['recipients'];
};

export function toClaimedEmail(row: ClaimedRow): ClaimedEmail {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    attempt: row.attempt,
    deferrals: row.deferrals,
    reclaimed: row.reclaimed ?? null,
    unsentAttempts: row.unsent_attempts ?? 0,
    ambiguousAttempts: row.ambiguous_attempts,
    hasContent: row.has_content && row.attachments?.length !== 0,
    domainId: row.domain_id,
    from: row.from_,
    to: row.to,
    cc: row.cc ?? [],
    replyTo: row.reply_to ?? [],
    subject: row.subject,
    html: row.html,
    text: row.text,
    contentBytes: row.content_bytes,
    template: toTemplate(row),
    attachments: row.attachments ?? [],
    needsHandoffNote: (row.needs & needs.handoffNote) !== 0,
    headers: row.headers ?? {},
    requestId: row.request_id,
    createdAt: row.created_at,
    firstDueAt: row.first_due_at,
    expiresAt: row.expires_at,
    senderLost: row.sender_lost,
    recipients: row.recipients,
  };
}

function toTemplate({ template_id, template_version, template_vars }: ClaimedRow): ClaimedEmail['template'] {
  if (template_id === null || template_version === null) return null;
  return { id: template_id, version: template_version, vars: template_vars ?? {} };
}
