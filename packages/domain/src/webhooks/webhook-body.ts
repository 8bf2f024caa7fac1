import type { LoggedEvent } from '../events/event.js';
import { eventData } from '../events/event-data.js';

/**
 * The body that a webhook posts (Standard Webhooks, "Payload structure"). Every attempt has the same body. `sequence`
 * orders the events of one email.
 */
export function webhookBody(event: LoggedEvent): string {
  const { type, createdAt, sequence } = event;
  return JSON.stringify({ type, timestamp: createdAt.toISOString(), data: { ...eventData(event), sequence } });
}
