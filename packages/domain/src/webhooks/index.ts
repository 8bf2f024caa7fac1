export { createWebhook, deleteWebhook, disableWebhook, rotateWebhookSecret, updateWebhook } from './change-webhook.js';
export { listDeliveries, type WebhookDelivery } from './delivery-log-store.js';
export { fanOutEvents } from './fan-out-store.js';
export { notifyWebhookOwners } from './notify-webhook-owners.js';
export { type Replay, replayEvents, sendTestEvent } from './replay-events.js';
export { findWebhookBackoffSeconds, webhookRetryPauses } from './retry-backoff.js';
export { claimShare, SHARE_MS, type Share, type SharedLimit, type ShareRequest } from './shared-limit.js';
export { buildWebhookBody, encodeWebhookBody, type Webhook, type WebhookSettings } from './webhook.js';
export {
  type DeliveryResult,
  type DueDelivery,
  type DuePlace,
  type RecordedResults,
  readDueDeliveries,
  readWaitingEvents,
  recordDeliveries,
} from './webhook-delivery-store.js';
export {
  endWebhookLease,
  extendWebhookLeases,
  type LeasedWebhook,
  type LeaseSlots,
  leaseWebhooks,
} from './webhook-lease-store.js';
export { readWebhookHealth, readWebhookLag, type WebhookHealth } from './webhook-state-store.js';
export { findWebhook, listWebhooks } from './webhook-store.js';
