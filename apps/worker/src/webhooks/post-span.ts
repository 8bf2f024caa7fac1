import type { DueDelivery, LeasedWebhook } from '@posthorn/domain/webhooks';
import type { Span } from '@posthorn/platform/traces';
import type { PostResult } from '@posthorn/webhooks';
import type { WebhookContext } from './webhook-context.js';

/**
 * With tracing, a delivery continues the trace of the email that its event is about.
 * @returns undefined if the email is not traced. URLs are not recorded, because they may contain secrets
 */
export function startPostSpan(
  { tracer }: Pick<WebhookContext, 'tracer'>,
  { id, url }: LeasedWebhook,
  delivery: DueDelivery,
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

export function endPostSpan(span: Span | undefined, { status, error }: PostResult): void {
  span?.set({ 'http.response.status_code': status });
  span?.end(error === null ? undefined : String(status ?? 'no_response'));
}
