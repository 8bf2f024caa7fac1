import type { Mode } from './mode.js';
import type { Priority, Tag, Unsubscribe } from './sending.js';

/** /docs#states explains each status. */
export type EmailStatus =
  | 'scheduled'
  | 'queued'
  | 'sending'
  | 'sent'
  | 'deferred'
  | 'bounced'
  | 'failed'
  | 'expired'
  | 'canceled'
  | 'suppressed'
  | 'delivered'
  | 'complained';

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

/** The number of recent emails by status. Each email counts once, with its current status. */
export type EmailStats = {
  object: 'email_stats';
  /** All emails accepted since this time are counted. */
  since: string;
  emails: number;
  /**
   * Whether the requested period has more emails than were counted. If so, `since` is the time of the oldest counted
   * email.
   */
  truncated: boolean;
  /** Contains every status, even those whose count is 0. */
  statuses: Record<EmailStatus, number>;
  /** (sent + delivered + complained) / (sent + delivered + complained + bounced + failed). null if all are 0. */
  delivery_rate: number | null;
  /** bounced / (sent + delivered + complained + bounced + failed). null if all are 0. */
  bounce_rate: number | null;
};

/** If the key does not have the scope emails:read, html, text and template_vars are null, and so is the subject. */
export type Email = EmailSummary & {
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

export type RecipientStatus = Exclude<EmailStatus, 'scheduled' | 'sending'>;

export type RecipientState = {
  address: string;
  kind: 'to' | 'cc' | 'bcc';
  status: RecipientStatus;
  smtp_code: number | null;
  smtp_response: string | null;
  /** Why a mail server refused it. null if none did. */
  bounce_class: BounceClass | null;
};

/**
 * Why a mail server refused an email. `bad_mailbox` and `inactive` suppress the address at once; `bad_domain` and
 * `mailbox_full` suppress it if it bounces again later. The others say nothing about the address.
 */
export type BounceClass =
  | 'bad_mailbox'
  | 'inactive'
  | 'bad_domain'
  | 'mailbox_full'
  | 'rate'
  | 'reputation'
  | 'authentication'
  | 'content'
  | 'protocol'
  | 'unknown';

/** How far an attempt got. `render` means that it ended before it connected to a server. */
export type AttemptPhase = 'render' | 'connect' | 'envelope' | 'data' | 'reply';

export type AttemptOutcome = 'sent' | 'partial' | 'deferred' | 'bounced' | 'failed' | 'route_fault' | 'ambiguous';

/**
 * One attempt to deliver the email. Lines of `conversation` start with "C: " (Posthorn) or "S: " (the server). If
 * several servers were tried, lines that start with "-- " name each server and say what failed. If an attempt ended
 * because a worker stopped, such a line says so too. `route` is the server that gave the result.
 */
export type Attempt = {
  /** Counts from 1. */
  attempt: number;
  /** The mail server that gave the result. */
  route: string | null;
  phase: AttemptPhase | null;
  /** null while the attempt is running. */
  outcome: AttemptOutcome | null;
  /** The SMTP commands and replies, line by line. */
  conversation: string[];
  started_at: string;
  ended_at: string | null;
};

/** A bounce or complaint that a mail server or mailbox provider sent about the email. */
export type Report = {
  object: 'report';
  id: string;
  /** `dsn` is a bounce or another notification about the delivery, `feedback_report` a complaint. null at first. */
  kind: 'dsn' | 'feedback_report' | 'auto_reply' | 'other' | 'unreadable' | null;
  /** Whether it changed something, and if not, why. null until it has been processed. */
  result: 'applied' | 'nothing_new' | 'unknown_recipient' | 'unknown_email' | null;
  /** The size of the message in bytes. */
  size: number;
  /** The beginning of the message. null after a recipient of the email was erased. */
  text: string | null;
  /** Whether the message continues after `text`. */
  truncated: boolean;
  received_at: string;
};

/** A change in the status of the email or a recipient, or something else that happened to the email. */
export type EmailEventType =
  | 'accepted'
  | 'scheduled'
  | 'sent'
  | 'deferred'
  | 'delivered'
  | 'bounced'
  | 'complained'
  | 'failed'
  | 'expired'
  | 'canceled'
  | 'suppressed'
  | 'opened'
  | 'clicked'
  | 'unsubscribed'
  | 'ambiguous'
  | 'recovered';

export type EmailEvent = {
  id: string;
  /** Counts the events of the email from 1, in the order in which they happened. */
  sequence: number;
  type: EmailEventType;
  created_at: string;
  /** null if the event concerns the whole email. */
  recipient: string | null;
  /** A human-readable explanation. */
  detail: string | null;
};
