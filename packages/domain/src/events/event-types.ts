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

export type EmailEventType = (typeof emailEventTypes)[number];

/** Events that change no status. All others but `accepted` are named after the status that they lead to. */
export const emailEventsWithoutStatus: readonly EmailEventType[] = [
  ...(['opened', 'clicked', 'unsubscribed'] as const),
  ...(['ambiguous', 'recovered'] as const),
];

export const domainEventTypes = ['verified', 'withdrawn', 'key_rotated'] as const;

export type DomainEventType = (typeof domainEventTypes)[number];

/** Every type of event that the log can contain. */
export const eventTypes = [
  ...emailEventTypes.map((type) => `email.${type}` as const),
  ...domainEventTypes.map((type) => `domain.${type}` as const),
  'usage.threshold',
  'webhook.test',
] as const;

export type EventType = (typeof eventTypes)[number];
