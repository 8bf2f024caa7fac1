export { checkWebhookUrl, normalizeWebhookUrl } from './check-webhook-url.js';
export { type FetchedText, fetchText } from './fetch-text.js';
export { createSigner, createWebhookSecret, type SignatureHeaders } from './hmac-signature.js';
export { type CheckedHost, createSsrfGuard, type SsrfGuard } from './ssrf-guard.js';
export { createWebhookClient, type PostResult, type WebhookClient } from './webhook-client.js';
