export { createWebhook } from './create-webhook.js';
export { deleteWebhook } from './delete-webhook.js';
export { listDeliveries, type WebhookDelivery } from './delivery-log-store.js';
export { disableWebhook } from './disable-webhook.js';
export { fanOutEvents } from './fan-out-store.js';
export { leaseWebhooks } from './lease-webhooks.js';
export { notifyWebhookOwners } from './notify-webhook-owners.js';
export { type Replay, replayEvents } from './replay-events.js';
export { webhookRetryInSeconds, webhookRetryPauses } from './retry-schedule.js';
export { rotateWebhookSecret } from './rotate-webhook-secret.js';
export { sendTestEvent } from './send-test-event.js';
export { updateWebhook } from './update-webhook.js';
export { readWaitingEvents } from './waiting-events-store.js';
export type { LeasedWebhook, Webhook, WebhookSettings } from './webhook.js';
export { encodeWebhookBody, webhookBody } from './webhook-body.js';
export {
  type DeliveryResult,
  type DueDelivery,
  type DuePlace,
  type RecordedResults,
  readDueDeliveries,
  recordDeliveries,
} from './webhook-delivery-store.js';
export { readWebhookLag } from './webhook-lag-store.js';
export {
  endWebhookLease,
  extendWebhookLeases,
  type LeaseSlots,
  readWebhookHealth,
  type WebhookHealth,
} from './webhook-state-store.js';
export { findWebhook, listWebhooks } from './webhook-store.js';
