export { openWebhookClient, type WebhookClient } from './client/open-webhook-client.js';
export type { PostResult } from './client/post-handler.js';
export { checkWebhookUrl, normalizeWebhookUrl } from './guard/check-webhook-url.js';
export { openReceiverGuard, type ReceiverGuard } from './guard/receiver-guard.js';
export { openSigner, type SignatureHeaders, type Signer } from './signing/open-signer.js';
export { newWebhookSecret } from './signing/webhook-secret.js';
