import type { BounceClass, EmailEventType, EmailStatus, RecipientStatus } from './statuses.js';

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

export type RecipientState = {
  address: string;
  kind: 'to' | 'cc' | 'bcc';
  status: RecipientStatus;
  smtp_code: number | null;
  smtp_response: string | null;
  /** Why a mail server refused it. null if none did. */
  bounce_class: BounceClass | null;
};

export type RecipientKind = RecipientState['kind'];

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

/** A bounce, complaint or other event that a mail server, mailbox provider or relay's provider reported about the email. */
export type Report = {
  object: 'report';
  id: string;
  /**
   * `dsn` is a bounce or another notification about the delivery, `feedback_report` a complaint, `provider_event` what a
   * relay's provider posted, as JSON. null at first.
   */
  kind: 'dsn' | 'feedback_report' | 'provider_event' | 'auto_reply' | 'other' | 'unreadable' | null;
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

/** The mailboxes of the service at the bounce hosts. Complaints come to `fbl`; the others are for the operator. */
export const mailboxes = ['fbl', 'postmaster', 'abuse'] as const;

export type Mailbox = (typeof mailboxes)[number];

export type ReportKind = NonNullable<Report['kind']>;

export type ReportResult = NonNullable<Report['result']>;

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
