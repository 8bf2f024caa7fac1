export { buildWholeMessage, type WholeMessageParts } from './build-whole-message.js';
export type { MessageParts } from './format/build-message.js';
export { type Message, MessageUnreadable } from './format/message.js';
export type { MessageContext } from './message-context.js';
export { type MessageMemory, messageMemory } from './message-memory.js';
export { type NotBuilt, readParts, renderMessage } from './render-message.js';
export { senderHost } from './sender-host.js';
export { findSenderKey, signEmail } from './sign-email.js';
