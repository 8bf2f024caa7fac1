import type { Attempt, EmailEvent, RecipientState } from './email-history.js';
import type { FieldFault } from './http.js';
import type { EmailStatus } from './statuses.js';
import type { SuppressionReason } from './suppressions.js';

/** Whether emails are sent, or only built and then shown. */
export const modes = ['live', 'test'] as const;

/** Test mail is built but never sent. */
export type Mode = (typeof modes)[number];

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
  /**
   * When to send the email, at most 30 days ahead. RFC 3339 with a UTC offset. A time up to a minute ago means now.
   */
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

/** Limits that the dashboard names too. The domain's table of limits has all of them. */
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

/**
 * The order in which a workspace's waiting emails are sent. Postgres stores the position in this list, so that it can
 * sort the queue by priority.
 */
export const priorities = ['high', 'normal', 'bulk'] as const;

export type Priority = (typeof priorities)[number];

export const DEFAULT_PRIORITY: Priority = 'normal';

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

/** The response to a batch, in the order of its emails. */
export type AcceptedBatch = {
  object: 'list';
  data: AcceptedEmail[];
  /** Only with `mode=permissive`: the emails that were refused. */
  errors?: RefusedEmail[];
};

/** Why one email of a batch was refused: what it would have got if it had been sent alone. */
export type RefusedEmail = {
  /** Its position in the request. The first email has the index 0. */
  index: number;
  code: string;
  message: string;
  /** The invalid fields, if the code has any. */
  errors?: FieldFault[];
};

export type EmailSummary = {
  object: 'email';
  id: string;
  /** `test` for an email that is never sent, because a test key created it. */
  mode: Mode;
  /** Derived from the statuses of the recipients. */
  status: EmailStatus;
  /** The sender address that is used. */
  from_: string;
  to: string[];
  /** null if the key does not have the scope emails:read. */
  subject: string | null;
  /** null for a raw email. */
  template_id: string | null;
  tags: Tag[];
  /** When the email was accepted. */
  created_at: string;
  scheduled_at: string | null;
};

/** If the key does not have the scope emails:read, html, text and template_vars are null, and so is the subject. */
export type Email = EmailSummary & {
  /**
   * One line that says where the email is, why, and what happens when, such as `Waiting until 14:05 UTC: mx.example.net
   * answered 421 4.7.28 Too fast. 3 attempts so far.`
   */
  explanation: string;
  cc: string[];
  bcc: string[];
  reply_to: string[];
  headers: Record<string, string>;
  priority: Priority;
  /**
   * If no mail server has accepted the email by this time, its status becomes `expired`. null if the email does not
   * expire.
   */
  expires_at: string | null;
  /** What the recipient can unsubscribe from. null for an email without a link for unsubscribing. */
  unsubscribe: Unsubscribe | null;
  domain_id: string | null;
  /** The version of the template when the email was accepted. */
  template_version: number | null;
  /** When a deferred email will be retried. null in every other status, and while the email is parked. */
  next_attempt_at: string | null;
  /**
   * Whether the email waits for the operator, because the database was restored from a backup and the email may have
   * been sent before. Unless its status is `sending`, it can still be canceled.
   */
  parked: boolean;
  /** The Message-ID of every copy that is sent, without angle brackets. */
  message_id: string;
  /**
   * Whether html, text, template_vars, attachments, cc, bcc, reply_to and headers have been deleted because the email
   * is too old, or because one of its recipients was erased.
   */
  content_removed: boolean;
  /**
   * When a recipient was erased from the email, with the content, the tags and the conversations. null for an email
   * from which nobody was erased.
   */
  erased_at: string | null;
  html: string | null;
  text: string | null;
  template_vars: Record<string, unknown> | null;
  /** null, like html and text, if the key does not have the scope emails:read. */
  attachments: Attachment[] | null;
  /** What happened to each recipient. */
  recipients: RecipientState[];
  /** The newest attempts, oldest first. GET /api/v1/emails/{id}/attempts lists all of them. */
  attempts: Attempt[];
  /** Pass it as `after` to get older attempts. null if all are shown. */
  attempts_next_cursor: string | null;
  /** The newest events, oldest first. GET /api/v1/emails/{id}/events lists all of them. */
  events: EmailEvent[];
  /** Pass it as `after` to get older events. null if all are shown. */
  events_next_cursor: string | null;
};

/** A file that belongs to an email. `size` is in bytes. */
export type Attachment = { filename: string; content_type: string; content_id: string | null; size: number };

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
