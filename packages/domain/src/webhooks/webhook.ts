import type { DisabledBecause, EventType, Mode } from '@posthorn/contract';
import type { EventCursor } from '@posthorn/domain/events';

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
  readonly status: 'enabled' | 'disabled';
  /** Why the service disabled it; null if a user did, or if it is enabled. */
  readonly disabledBecause: DisabledBecause | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** The live or test workspace whose events a webhook gets, and the live workspace that it belongs to. */
export type WebhookWorkspace = { readonly id: string; readonly liveId: string };

/** What a user decides about a webhook. */
export type WebhookSettings = Pick<Webhook, 'url' | 'description' | 'events' | 'domainIds' | 'tags' | 'status'>;

/** A webhook whose lease this worker has. */
export type LeasedWebhook = {
  readonly id: string;
  readonly workspaceId: string;
  readonly url: string;
  readonly mode: Mode;
  /** The number of the lease. Changes by a worker whose lease is over are ignored. */
  readonly lease: number;
  /** `whsec_...`, the current one first. */
  readonly secrets: readonly string[];
  /** Every event of the log up to here that the webhook wants has a delivery. */
  readonly place: EventCursor;
  /** How many times results were recorded. */
  readonly revision: number;
  /** Failed attempts in a row. */
  readonly failures: number;
};
