import type { Mode } from './mode.js';

export type SendEmailRequest = {
  to: string[];
  cc?: string[];
  bcc?: string[];
  reply_to?: string[];
  from_?: string;
  domain_id?: string;
  subject?: string;
  html?: string;
  text?: string;
  template_id?: string;
  template_vars?: Record<string, string | number | boolean | null>;
  headers?: Record<string, string>;
  attachments?: SendAttachment[];
  tags?: Tag[];
  /** RFC 3339 with a UTC offset. */
  scheduled_at?: string;
  /** The order among the workspace's waiting emails. The default is normal. */
  priority?: Priority;
  /** RFC 3339 with a UTC offset, at most 72 hours after scheduled_at or the request. */
  expires_at?: string;
};

/** Moves an email that has not been sent yet to another time. RFC 3339 with a UTC offset. */
export type RescheduleRequest = { scheduled_at: string };

export type SendAttachment = {
  filename: string;
  /** base64 (RFC 4648, section 4) */
  content: string;
  /** If it is missing, the type that belongs to the end of filename. */
  content_type?: string;
  /** For a file that html shows: `<img src="cid:logo">` shows the attachment with the content_id `logo`. */
  content_id?: string;
};

export type Priority = 'high' | 'normal' | 'bulk';

export type Tag = { name: string; value: string };

export type AcceptedEmail = {
  object: 'email';
  id: string;
  mode: Mode;
  status: 'queued' | 'scheduled';
  /** The sender address that is actually used. */
  from_: string;
  to: string[];
  /** The rendered subject if a template is used. */
  subject: string;
  created_at: string;
  scheduled_at: string | null;
  /** What the client may not expect. Usually empty. */
  warnings: readonly Warning[];
};

export type Warning = { code: WarningCode; message: string };

/** docs/api.md explains each code. */
export type WarningCode = 'sender_replaced' | 'duplicate_recipients_removed' | 'expires_soon';

/** What POST /api/v1/emails/check found out about a send request. */
export type EmailCheck = {
  object: 'email_check';
  /** false if a variable is missing, a cap has no room or every recipient is suppressed. */
  would_send: boolean;
  from_: string;
  sender_reason: SenderReason;
  subject: string;
  html: string | null;
  text: string | null;
  /** Without duplicates, in the order of to, cc and bcc. */
  recipients: CheckedRecipient[];
  missing_variables: string[];
  /** About the size of the message. */
  size_bytes: number;
  /** How many sends it would count as. */
  sends: number;
  /** What the caps leave before this email; null without a cap. */
  remaining: { daily: number | null; monthly: number | null };
  authentication: Record<'dkim' | 'spf' | 'dmarc', AuthenticationResult>;
  warnings: readonly Warning[];
};

/**
 * Why the email would come from `from_`: it is at a verified domain, the request has no from_, or the workspace has no
 * verified domain.
 */
export type SenderReason = 'verified_domain' | 'no_sender_requested' | 'no_verified_domain';

export type CheckedRecipient = { address: string; status: 'ok' | 'suppressed'; reason: string | null };

/** By the last check of the domain's DNS records. `unknown` for the platform's own domain. */
export type AuthenticationResult = 'pass' | 'fail' | 'unknown';

/** The response to a batch, in the order of its emails. */
export type AcceptedBatch = { object: 'list'; data: AcceptedEmail[] };
