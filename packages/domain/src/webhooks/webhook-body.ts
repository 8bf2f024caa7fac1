import { type LoggedEvent, toEventData } from '@posthorn/domain/events';

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
export function webhookBody(event: LoggedEvent): string {
  const { type, createdAt, sequence } = event;
  return encodeWebhookBody({ type, timestamp: createdAt.toISOString(), data: toEventData(event), sequence });
}

export function encodeWebhookBody({ type, timestamp, data, sequence }: WebhookMessage): string {
  // With Node 20, `{ ...data, sequence }` takes longer than encoding the whole body.
  return JSON.stringify({ type, timestamp, data: Object.assign({}, data, { sequence }) });
}
