export { openReceiver, type PostResult, type Receiver } from './receiver.js';
export { checkWebhookUrl, openReceiverGuard, type ReceiverGuard } from './receiver-guard.js';
export { newWebhookSecret, openSigner } from './sign.js';
