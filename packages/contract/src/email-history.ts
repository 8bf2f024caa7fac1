/** The statuses of an email and of each of its recipients. */
export const emailStatuses = [
  /** Waiting for scheduled_at. */
  'scheduled',
  /** Accepted; waiting for a worker. */
  'queued',
  /** A worker holds a lease on it. */
  'sending',
  /** The mail server accepted it for at least one recipient, and no recipient is still waiting. */
  'sent',
  /** The mail server refused it temporarily, or the connection broke. It is retried according to RETRY_SCHEDULE. */
  'deferred',
  /** Every recipient that was not suppressed was refused permanently (5xx). */
  'bounced',
  /** We gave up, or it could not be sent. An event says why. */
  'failed',
  /** expires_at passed before any mail server was known to have accepted it. */
  'expired',
  /** Canceled by the client before it was handed over to a mail server. */
  'canceled',
  /** We must not send to any of the recipients. */
  'suppressed',
  /** The server of a recipient confirmed delivery. */
  'delivered',
  /** A recipient marked it as spam. */
  'complained',
] as const;

/** docs/api/statuses.md explains each status. */
export type EmailStatus = (typeof emailStatuses)[number];

/** The statuses of emails that a mail server has accepted. */
export const handedOverStatuses = ['sent', 'delivered', 'complained'] as const satisfies readonly EmailStatus[];

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

export type RecipientKind = RecipientState['kind'];

/** Why a recipient was refused. The class decides what happens to the address, and who has to act. */
export const bounceClasses = [
  /** The mailbox does not exist. */
  'bad_mailbox',
  /** The mailbox exists, but it is no longer used. */
  'inactive',
  /** The domain does not exist, or takes no mail. */
  'bad_domain',
  'mailbox_full',
  /** We send too much or too fast for this receiver. */
  'rate',
  /** The receiver distrusts our IP address or domain. */
  'reputation',
  /** SPF, DKIM, DMARC or reverse DNS is missing or wrong. */
  'authentication',
  /** The receiver refuses this message, for example as spam or because it is too large. */
  'content',
  /** We broke the protocol, or the receiver says so. */
  'protocol',
  'unknown',
] as const;

/**
 * Why a mail server refused an email. `bad_mailbox` and `inactive` suppress the address at once; `bad_domain` and
 * `mailbox_full` suppress it if it bounces again later. The others say nothing about the address.
 */
export type BounceClass = (typeof bounceClasses)[number];

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

export type ReportKind = NonNullable<Report['kind']>;

export type ReportResult = NonNullable<Report['result']>;

/**
 * What can happen to an email or one of its recipients, in the words of `EmailStatus` where it changes a status. In the
 * log, `email.` comes before the name.
 */
export const emailEventTypes = [
  'accepted',
  'scheduled',
  'sent',
  'deferred',
  'delivered',
  'bounced',
  'complained',
  'failed',
  'expired',
  'canceled',
  'suppressed',
  'opened',
  'clicked',
  'unsubscribed',
  /** It is unknown whether a mail server accepted the message, so a second copy is possible. */
  'ambiguous',
  /** A worker stopped after a mail server accepted the message, and another one found the result. */
  'recovered',
] as const;

/** A change in the status of the email or a recipient, or something else that happened to the email. */
export type EmailEventType = (typeof emailEventTypes)[number];

/** Events that change no status. All others but `accepted` are named after the status that they lead to. */
export const emailEventsWithoutStatus: readonly EmailEventType[] = [
  ...(['opened', 'clicked', 'unsubscribed'] as const),
  ...(['ambiguous', 'recovered'] as const),
];

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
