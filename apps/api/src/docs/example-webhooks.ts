import type { OperationId, Operations, Webhook, WebhookDelivery } from '@posthorn/contract';
import { event, ID, listOf, NOW } from './example-values.js';

const webhook: Webhook = {
  object: 'webhook',
  id: ID,
  mode: 'live',
  url: 'https://example.com/webhooks',
  description: '',
  events: ['email.sent', 'email.bounced'],
  domain_ids: null,
  tags: null,
  status: 'enabled',
  disabled_because: null,
  failing_since: null,
  paused_until: null,
  old_secrets_expire_at: null,
  created_at: NOW,
  updated_at: NOW,
};

const webhookDelivery: WebhookDelivery = {
  object: 'webhook_delivery',
  id: event.id,
  status: 'delivered',
  next_attempt_at: null,
  attempts: [{ at: NOW, ms: 42, status: 200, response: 'ok', response_truncated: false, error: null }],
  body: JSON.stringify({
    type: event.type,
    timestamp: event.created_at,
    data: { ...event.data, sequence: event.sequence },
  }),
  event,
};

type WebhookOperation = Extract<OperationId, `${string}Webhook${string}`>;

export const webhookExamples: {
  readonly [Id in WebhookOperation]: {
    readonly request: Operations[Id]['request'];
    readonly response: Operations[Id]['response'];
  };
} = {
  createWebhook: {
    request: { url: 'https://example.com/webhooks', events: ['email.sent', 'email.bounced'] },
    response: { ...webhook, secret: 'whsec_...' },
  },
  listWebhooks: { request: null, response: listOf(webhook) },
  getWebhook: { request: null, response: webhook },
  updateWebhook: { request: { status: 'disabled' }, response: { ...webhook, status: 'disabled' } },
  deleteWebhook: { request: null, response: { object: 'webhook', id: ID, deleted: true } },
  testWebhook: { request: null, response: { object: 'webhook_test', event_id: ID } },
  rotateWebhookSecret: { request: { overlap_seconds: 3600 }, response: { ...webhook, secret: 'whsec_...' } },
  listWebhookDeliveries: { request: null, response: listOf(webhookDelivery) },
  replayWebhook: { request: { failed: true }, response: { object: 'webhook_replay', events: 12 } },
};
