import type { WebhookDelivery as DeliveryJson, Webhook as WebhookJson } from '@posthorn/contract';
import { type Mode, type Webhook, type WebhookDelivery, webhookBody } from '@posthorn/domain';
import { viewEvent } from '../events/view.js';

export function viewWebhook(webhook: Webhook, mode: Mode): WebhookJson {
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
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  };
}

export function viewDelivery({ id, status, dueAt, attempts, event }: WebhookDelivery): DeliveryJson {
  return {
    object: 'webhook_delivery',
    id,
    status,
    next_attempt_at: dueAt?.toISOString() ?? null,
    attempts: attempts.map(({ at, ms, status: code, body, error }) => ({
      at: at.toISOString(),
      ms,
      status: code,
      response: body,
      error,
    })),
    body: event && webhookBody(event),
    event: event && viewEvent(event),
  };
}
