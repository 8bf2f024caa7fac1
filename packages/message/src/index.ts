export { signMessage } from './dkim/sign-message.js';
export { buildMessage, type MessageParts } from './format/build-message.js';
export { type Message, MessageUnreadable } from './format/message.js';
export type { MessageContext } from './message-context.js';
export { type MessageMemory, messageMemory } from './message-memory.js';
export { renderMessage } from './render-message.js';
export { senderHost } from './sender-host.js';
export { signEmail } from './sign-email.js';
