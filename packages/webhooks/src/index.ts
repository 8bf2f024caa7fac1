export { openWebhookClient, type WebhookClient } from './client/open-webhook-client.js';
export type { PostResult } from './client/post-handler.js';
export { checkWebhookUrl, normalizeWebhookUrl } from './guard/check-webhook-url.js';
export { createReceiverGuard, type ReceiverGuard } from './guard/receiver-guard.js';
export { createSigner, type SignatureHeaders } from './signing/create-signer.js';
export { newWebhookSecret } from './signing/webhook-secret.js';
