import type { AuditTarget, DisabledBecause, EventType, Webhook as WebhookJson } from '@posthorn/contract';
import type { AuditedFields } from '@posthorn/domain/audit-log';
import { type LoggedEvent, toEventData } from '@posthorn/domain/events';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { DAY_MS } from '@posthorn/platform/values';

/** A URL that gets the events of a workspace. */
export type Webhook = {
  readonly id: string;
  readonly workspaceId: string;
  readonly url: string;
  readonly description: string;
  /** The types of events that it gets. */
  readonly events: readonly EventType[];
  /** Only events of these sending domains and of emails from them; null for all. */
  readonly domainIds: readonly string[] | null;
  /** Only events of emails with one of these tags, written as `name:value`; null for all. */
  readonly tags: readonly string[] | null;
  readonly status: WebhookJson['status'];
  /** Why the service disabled it; null if a user did, or if it is enabled. */
  readonly disabledBecause: DisabledBecause | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** The live or test workspace whose events a webhook gets, and the live workspace that it belongs to. */
export type WebhookWorkspace = { readonly id: string; readonly liveId: string };

/** What a user decides about a webhook. */
export type WebhookSettings = Pick<Webhook, 'url' | 'description' | 'events' | 'domainIds' | 'tags' | 'status'>;

/** Older events are neither replayed nor sent to a webhook that is enabled again. */
export function oldestReplayable({ now }: Pick<Context, 'now'>): Date {
  return new Date(now().getTime() - limits.webhookEventDays.max * DAY_MS);
}

export function toWebhookTarget({ id, url }: Pick<Webhook, 'id' | 'url'>): AuditTarget {
  return { type: 'webhook', id, label: url };
}

/** The fields of a webhook that the audit log shows, named as in the API. */
export function toWebhookFields(webhook: Webhook): AuditedFields {
  const { url, description, events, domainIds, tags, status, disabledBecause } = webhook;
  return { url, description, events, domain_ids: domainIds, tags, status, disabled_because: disabledBecause };
}

/** What a webhook posts, apart from how it is encoded. `data` and `timestamp` are those of the event in the API. */
type WebhookMessage = {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Orders the events of one email. */
  readonly sequence: number;
};

/**
 * The body that a webhook posts (Standard Webhooks, "Payload structure"). Every attempt has the same body, unless the
 * recipient was erased in the meantime.
 */
export function buildWebhookBody(event: LoggedEvent): string {
  const { type, createdAt, sequence } = event;
  return encodeWebhookBody({ type, timestamp: createdAt.toISOString(), data: toEventData(event), sequence });
}

export function encodeWebhookBody({ type, timestamp, data, sequence }: WebhookMessage): string {
  // With Node 20, `{ ...data, sequence }` takes longer than encoding the whole body.
  return JSON.stringify({ type, timestamp, data: Object.assign({}, data, { sequence }) });
}
