import type { WebhookDelivery as DeliveryJson, Mode, Webhook as WebhookJson } from '@posthorn/contract';
import { buildWebhookBody, type Webhook, type WebhookDelivery, type WebhookHealth } from '@posthorn/domain/webhooks';
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
    old_secrets_expire_at: health?.oldSecretsExpireAt?.toISOString() ?? null,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  };
}

/** @param health of its webhook */
export function viewDelivery(
  { id, status, dueAt, attempts, event }: WebhookDelivery,
  webhook: Webhook,
  health?: WebhookHealth,
): DeliveryJson {
  const nextAttemptAt = webhook.status === 'disabled' ? null : afterPause(dueAt, health?.pausedUntil);
  return {
    object: 'webhook_delivery',
    id,
    status,
    next_attempt_at: nextAttemptAt?.toISOString() ?? null,
    attempts: attempts.map(({ at, ms, status: code, body, truncated, error }) => ({
      at,
      ms,
      status: code,
      response: body,
      response_truncated: truncated,
      error,
    })),
    body: event && buildWebhookBody(event),
    event: event && viewEvent(event),
  };
}

/** When a delivery is sent that is due, or the end of the pause if that is later. */
function afterPause(dueAt: Date | null, pausedUntil: Date | null | undefined): Date | null {
  return dueAt && pausedUntil && pausedUntil > dueAt ? pausedUntil : dueAt;
}
