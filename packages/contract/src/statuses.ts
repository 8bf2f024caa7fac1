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

export type RecipientStatus = Exclude<EmailStatus, 'scheduled' | 'sending'>;

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
