import { type DueDelivery, findTraceparents, type LeasedWebhook, type Span, type Traceable } from '@posthorn/domain';
import type { PostResult } from '@posthorn/webhooks';
import type { WebhookContext } from './webhook-context.js';

export type TracedDelivery = DueDelivery & Traceable;

/** With tracing, a delivery continues the trace of the email that its event is about. */
export async function traceDeliveries(
  { db, tracer }: Pick<WebhookContext, 'db' | 'tracer'>,
  deliveries: readonly DueDelivery[],
): Promise<readonly TracedDelivery[]> {
  if (tracer === null || deliveries.length === 0) return deliveries;
  const emailIds = [...new Set(deliveries.map(({ streamId }) => streamId))];
  // Events are more important than traces.
  const traceparents = await findTraceparents(db, emailIds).catch(() => new Map<string, string>());
  return deliveries.map((delivery) => ({ ...delivery, traceparent: traceparents.get(delivery.streamId) }));
}

/** @returns undefined if the email is not traced. URLs are not recorded, because they may contain secrets */
export function startPost(
  { tracer }: Pick<WebhookContext, 'tracer'>,
  { id, url }: LeasedWebhook,
  delivery: TracedDelivery,
): Span | undefined {
  if (!delivery.traceparent) return undefined;
  const attributes = {
    'http.request.method': 'POST',
    'server.address': new URL(url).hostname,
    'posthorn.webhook.id': id,
    'posthorn.event.id': delivery.eventId,
    'posthorn.event.type': delivery.event?.type,
    'http.request.resend_count': delivery.attempt || undefined,
  };
  return tracer?.startWork('POST', [delivery], { kind: 'client', attributes });
}

export function endPost(span: Span | undefined, { status, error }: PostResult): void {
  span?.set({ 'http.response.status_code': status });
  span?.end(error === null ? undefined : String(status ?? 'no_response'));
}
