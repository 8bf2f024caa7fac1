export { checkWebhookUrl, normalizeWebhookUrl } from './guard/check-webhook-url.js';
export { openReceiverGuard, type ReceiverGuard } from './guard/receiver-guard.js';
export type { PostResult } from './receiver/attempt.js';
export { openReceiver, type Receiver } from './receiver/open-receiver.js';
export { openSigner, type SignatureHeaders, type Signer } from './signing/open-signer.js';
export { newWebhookSecret } from './signing/webhook-secret.js';
