import type { Webhook, WebhookDelivery } from '@posthorn/contract';
import { event, ID, NOW } from './example-values.js';

export const webhook: Webhook = {
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

export const webhookDelivery: WebhookDelivery = {
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
