import type { WebhookDelivery as DeliveryJson, Webhook as WebhookJson } from '@posthorn/contract';
import { type Mode, type Webhook, type WebhookDelivery, type WebhookHealth, webhookBody } from '@posthorn/domain';
import { viewEvent } from '../events/view.js';

/** @param health undefined for a new webhook */
export function viewWebhook(webhook: Webhook, mode: Mode, health?: WebhookHealth): WebhookJson {
  return {
    object: 'webhook',
    id: webhook.id,
    mode,
    url: webhook.url,
    description: webhook.description,
    events: [...webhook.events],
    domain_ids: webhook.domainIds && [...webhook.domainIds],
    tags: webhook.tags && [...webhook.tags],
    status: webhook.status,
    disabled_because: webhook.disabledBecause,
    failing_since: health?.failingSince?.toISOString() ?? null,
    paused_until: health?.pausedUntil?.toISOString() ?? null,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  };
}

/** @param pausedUntil no request is made before this time; null if the webhook is disabled */
export function viewDelivery(
  { id, status, dueAt, attempts, event }: WebhookDelivery,
  pausedUntil: Date | null,
): DeliveryJson {
  const nextAttemptAt = dueAt && pausedUntil && new Date(Math.max(dueAt.getTime(), pausedUntil.getTime()));
  return {
    object: 'webhook_delivery',
    id,
    status,
    next_attempt_at: nextAttemptAt?.toISOString() ?? null,
    attempts: attempts.map(({ at, ms, status: code, body, truncated, error }) => ({
      at: at.toISOString(),
      ms,
      status: code,
      response: body,
      response_truncated: truncated,
      error,
    })),
    body: event && webhookBody(event),
    event: event && viewEvent(event),
  };
}
