import type { Mode } from './emails.js';
import { type EmailEventType, type EmailStatus, emailEventTypes } from './statuses.js';

export const domainEventTypes = ['verified', 'withdrawn', 'key_rotated'] as const;

export type DomainEventType = (typeof domainEventTypes)[number];

/** Every type of event. */
export type EventType = `email.${EmailEventType}` | `domain.${DomainEventType}` | 'usage.threshold' | 'webhook.test';

/** Every type of event that the log can contain. */
export const eventTypes: readonly EventType[] = [
  ...emailEventTypes.map((type) => `email.${type}` as const),
  ...domainEventTypes.map((type) => `domain.${type}` as const),
  'usage.threshold',
  'webhook.test',
];

/** One entry of the event log. Webhooks deliver the same `type` and `data`. */
export type Event = {
  object: 'event';
  id: string;
  type: EventType;
  created_at: string;
  /** Counts the events of one email from 1, in the order in which they happened. 1 for all other events. */
  sequence: number;
  data: EmailEventData | DomainEventData | UsageEventData | TestEventData;
};

/**
 * What happened to an email, or to one of its recipients. Contains no part of the email's content, except for the URL of
 * a link.
 */
export type EmailEventData = {
  email_id: string;
  /** null if the event concerns the whole email. */
  recipient: string | null;
  /**
   * The status after the event, of the recipient or of the whole email. null for opens, clicks and other events that do
   * not concern the status.
   */
  status: EmailStatus | null;
  /** Why, such as the reply of the mail server. */
  reason: string | null;
  /** `test` for an email that is never sent, because a test key created it. */
  mode: Mode;
  /**
   * Whether what a mail says counts. `complained`: the mailbox provider signed it; if a signed complaint follows one that
   * is not signed, it is an event of its own. `bounced`: it came from a relay of the service; missing if the mail server
   * refused the email at once. Missing for the simulator.
   */
  authenticated?: boolean;
  /** `opened` and `clicked` only: whether the request looks automated. */
  machine?: boolean;
  /** `clicked` only: the URL of the link. Missing after the recipient was erased. */
  url?: string;
};

export type DomainEventData = {
  domain_id: string;
  name: string;
  /** The status after the event. null if the event changes no status. */
  status: 'verified' | 'withdrawn' | null;
  reason: string | null;
};

/** The sends of a period have reached a share of what the period includes. */
export type UsageEventData = {
  /** A month, such as `2026-11`, or a day, such as `2026-11-21`; both in UTC. */
  period: string;
  /** 80 or 100. */
  percent: number;
  /** The number of sends in the period so far. */
  used: number;
  /** The number of sends that the period includes. */
  limit: number;
};

/** A test event, sent on request. */
export type TestEventData = {
  webhook_id: string;
};
