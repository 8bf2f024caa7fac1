import type { Mode } from './mode.js';
import type { SuppressionReason } from './suppressions.js';

export type SendEmailRequest = {
  /** `jane@example.com` or `Jane Doe <jane@example.com>`. Together, to, cc and bcc can have at most 50 addresses. */
  to: string[];
  /** Recipients of a copy. */
  cc?: string[];
  /** Recipients of a copy that the other recipients do not see. */
  bcc?: string[];
  /** Where replies go. */
  reply_to?: string[];
  /** The sender: an address at a verified domain of the workspace. By default, its platform address. */
  from_?: string;
  /** The id of the verified domain that `from_` uses. */
  domain_id?: string;
  /** Only for a raw email. */
  subject?: string;
  /** Only for a raw email, which has html, text or both. At most 2,000,000 bytes. */
  html?: string;
  /** Only for a raw email, which has html, text or both. At most 2,000,000 bytes. */
  text?: string;
  /** The template to use instead of subject, html and text. */
  template_id?: string;
  template_vars?: Record<string, string | number | boolean | null>;
  /** Custom headers by name, such as `X-Order-Id`. */
  headers?: Record<string, string>;
  /** Files. They are sent in base64, which makes them a third larger, and the whole message can be up to 10 MB. */
  attachments?: SendAttachment[];
  /** For finding emails later: lists can be filtered by a tag. */
  tags?: Tag[];
  /** When to send the email, at most 30 days ahead. RFC 3339 with a UTC offset. */
  scheduled_at?: string;
  /** Decides which of the workspace's waiting emails are sent first. The default is normal. */
  priority?: Priority;
  /** RFC 3339 with a UTC offset, at most 72 hours after scheduled_at (without one, after the request). */
  expires_at?: string;
  /** Adds a link with which the recipient unsubscribes from the topic. Only for an email to one recipient. */
  unsubscribe?: Unsubscribe;
};

/** `topic` is a name of yours for a kind of mail, such as `newsletter`: letters a-z, digits, _ and -. */
export type Unsubscribe = { topic: string };

/** Limits that the dashboard names before an email is sent. /docs lists all limits. */
export const sendLimits = { attachments: 10, messageBytes: 10_000_000 } as const;

/** Moves an email that has not been sent yet to another time. RFC 3339 with a UTC offset. */
export type RescheduleRequest = {
  /** The new time. RFC 3339 with a UTC offset. */
  scheduled_at: string;
};

export type SendAttachment = {
  /** Without a path. Programs such as `.exe` files are refused. */
  filename: string;
  /** base64 (RFC 4648, section 4) */
  content: string;
  /** By default, the type that matches the file extension. */
  content_type?: string;
  /** For an image in html: `<img src="cid:logo">` shows the attachment with content_id `logo`. */
  content_id?: string;
};

export type Priority = 'high' | 'normal' | 'bulk';

export type Tag = { name: string; value: string };

export type AcceptedEmail = {
  object: 'email';
  /** Identifies the email in all other calls. */
  id: string;
  /** The mode of the key. Test mail is never sent. */
  mode: Mode;
  /** `scheduled` if the request has a scheduled_at, otherwise `queued`. */
  status: 'queued' | 'scheduled';
  /** The sender address that is actually used. */
  from_: string;
  /** Without duplicates. */
  to: string[];
  /** The rendered subject if a template is used. */
  subject: string;
  /** When the email was accepted. */
  created_at: string;
  scheduled_at: string | null;
  /** What the client might not expect. Usually empty. */
  warnings: readonly Warning[];
};

export type Warning = { code: WarningCode; message: string };

/** /docs#sending explains each code. */
export type WarningCode = 'sender_replaced' | 'duplicate_recipients_removed' | 'suppressed_recipients' | 'expires_soon';

/** What POST /api/v1/emails/check found out about a send request. */
export type EmailCheck = {
  object: 'email_check';
  /** false if a variable is missing, a cap would be exceeded or every recipient is suppressed. */
  would_send: boolean;
  from_: string;
  sender_reason: SenderReason;
  subject: string;
  html: string | null;
  text: string | null;
  /** Without duplicates, in the order of to, cc and bcc. */
  recipients: CheckedRecipient[];
  missing_variables: string[];
  /** An upper bound for the size of the message, encoded as it is sent. */
  size_bytes: number;
  /** How many sends it would count as. */
  sends: number;
  /** How many sends the caps leave, not counting this email; null if there is no cap. */
  remaining: { daily: number | null; monthly: number | null };
  authentication: Record<'dkim' | 'spf' | 'dmarc', AuthenticationResult>;
  warnings: readonly Warning[];
};

/**
 * Why the email would come from `from_`: it is at a verified domain, the request has no from_, or the workspace has no
 * verified domain.
 */
export type SenderReason = 'verified_domain' | 'no_sender_requested' | 'no_verified_domain';

/**
 * `reason` is that of the suppression, or `simulated` for the simulator's suppressed address. It is null for a recipient
 * with the status `ok`.
 */
export type CheckedRecipient = {
  address: string;
  status: 'ok' | 'suppressed';
  reason: SuppressionReason | 'simulated' | null;
};

/** According to the domain's last DNS check. `unknown` for the platform's own domain. */
export type AuthenticationResult = 'pass' | 'fail' | 'unknown';

/** The response to a batch, in the order of its emails. */
export type AcceptedBatch = { object: 'list'; data: AcceptedEmail[] };
