export { addHeaders, type Message, type MessageParts, MessageUnreadable, needs8Bit } from './build-message.js';
export { buildWholeMessage, findSenderKey, getSenderHost, signEmail, type WholeMessageParts } from './dkim.js';
export {
  createMessageMemory,
  type MessageContext,
  type MessageMemory,
  type NotBuilt,
  readParts,
  renderMessage,
} from './render-message.js';
export {
  type DkimSignature,
  isSubdomain,
  readSignedMessage,
  type SignedMessage,
  toDkimKeyName,
  verifyDkimSignature,
} from './verify-dkim.js';
