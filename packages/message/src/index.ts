export { type Message, type MessageParts, MessageUnreadable } from './build-message.js';
export { type MessageMemory, messageMemory } from './message-memory.js';
export { type MessageContext, type NotBuilt, readParts, renderMessage } from './render-message.js';
export { buildWholeMessage, findSenderKey, getSenderHost, signEmail, type WholeMessageParts } from './sign-email.js';
