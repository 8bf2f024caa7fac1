import type { Mode } from './emails.js';
import type { Event, EventType } from './events.js';

export const webhookStatuses = ['enabled', 'disabled'] as const;

/** A URL that gets events. */
export type Webhook = {
  object: 'webhook';
  id: string;
  /** `test` for a webhook that gets the events of test mail. */
  mode: Mode;
  url: string;
  description: string;
  /** The types of events that it gets. */
  events: EventType[];
  /** Only events of these domains and of emails from them, and no usage events. null for all events. */
  domain_ids: string[] | null;
  /** Only events of emails with one of these tags, written as name:value. null for all events. */
  tags: string[] | null;
  status: (typeof webhookStatuses)[number];
  /**
   * Why Posthorn disabled it: `gone` if the receiver answered 410, `failing` if every request has failed for days. null
   * if a user disabled it, or if it is enabled.
   */
  disabled_because: 'gone' | 'failing' | null;
  /** Since when every request has failed. null if the last one succeeded. */
  failing_since: string | null;
  /** After failures, or because the receiver asked for it, nothing is sent before this time. null if it is not paused. */
  paused_until: string | null;
  /** After a rotation, requests are also signed with older secrets until this time. null if only with the current one. */
  old_secrets_expire_at: string | null;
  created_at: string;
  updated_at: string;
};

/** `secret` is shown only in this response. Requests are signed with it. */
export type WebhookWithSecret = Webhook & { secret: string };

export type CreateWebhookRequest = {
  /** Where to post events: an `https` URL that can be reached from the internet. */
  url: string;
  /** The types of events to send, such as `email.bounced`. */
  events: EventType[];
  /** For your own use. Empty by default. */
  description?: string;
  /** Only events of these domains and of emails from them, and no usage events. */
  domain_ids?: string[] | null;
  /** Only events of emails with one of these tags, written as name:value. */
  tags?: string[] | null;
  /** `test` for the events of test mail. A key creates only webhooks of its own mode. */
  mode?: Mode;
};

export type UpdateWebhookRequest = {
  /** The new URL. */
  url?: string;
  /** The new list of types. It replaces the old one. */
  events?: EventType[];
  /** The new description. */
  description?: string;
  /** The new list of domains; null for all events. */
  domain_ids?: string[] | null;
  /** The new list of tags; null for all events. */
  tags?: string[] | null;
  /** `disabled` stops sending. When the webhook is enabled again, it gets the events since then, as far back as 28 days. */
  status?: (typeof webhookStatuses)[number];
};

export type RotateWebhookSecretRequest = {
  /** For how long requests are also signed with the old secret. 86,400 by default. */
  overlap_seconds?: number;
};

/** Limits that the dashboard names too. The domain's table of limits has all of them. */
export const replayLimits = { events: 10_000, days: 28 } as const;

/** One of event_id, from and to together, or failed. */
export type ReplayWebhookRequest = {
  /** Send this event again. It must not be older than 28 days. */
  event_id?: string;
  /** Send all events again that were created at this time or later. It can be at most 28 days ago. */
  from?: string;
  /** The end of the period: only events that were created before this time. */
  to?: string;
  /** `true`: send all events again that failed or wait to be tried again, and are not older than 28 days. */
  failed?: true;
};

/** `events` is how many events will be sent. With `failed`, at most 10,000 per request. */
export type WebhookReplay = { object: 'webhook_replay'; events: number };

/** The test event that was created. */
export type WebhookTest = { object: 'webhook_test'; event_id: string };

export const webhookDeliveryStatuses = ['pending', 'delivered', 'failed'] as const;

/** One event for one webhook. */
export type WebhookDelivery = {
  object: 'webhook_delivery';
  /** The id of the event, and the `webhook-id` of every request. */
  id: string;
  /** `pending` until a request succeeds, or until the last one has failed. */
  status: (typeof webhookDeliveryStatuses)[number];
  /** When the next request is made. null if there is none, or while the webhook is disabled. */
  next_attempt_at: string | null;
  /** The requests so far, oldest first. */
  attempts: WebhookAttempt[];
  /**
   * The body as it would be sent now. Every request had the same, unless the recipient was erased in the meantime. null
   * if the event has been deleted in the meantime, and for an event of an email if the key lacks emails:read.
   */
  body: string | null;
  /** null if the event has been deleted in the meantime. */
  event: Event | null;
};

/** One request and its response. */
export type WebhookAttempt = {
  at: string;
  /** How long it took, in milliseconds. */
  ms: number;
  /** The HTTP status of the response. null if there was none. */
  status: number | null;
  /** The first 4 kB of the response body. */
  response: string;
  /** Whether the response body was longer than the stored part, which may be empty if a workspace stores too many. */
  response_truncated: boolean;
  /** Why it failed. null if it succeeded. */
  error: string | null;
};

export type DisabledBecause = NonNullable<Webhook['disabled_because']>;

export type WebhookDeliveryStatus = WebhookDelivery['status'];
