import type { MessageParts } from '../src/build-message.js';

/** A simple email with the given changes. */
export function messageParts(changes: Partial<MessageParts> = {}): MessageParts {
  return {
    emailId: '019aa5f2-3c00-7d11-8a6e-2f1c4b7d9e01',
    messageId: '019aa5f2-3c00-7d11-8a6e-2f1c4b7d9e01@mail.example.com',
    date: new Date('2026-11-21T08:00:00Z'),
    from: { name: 'Acme', address: 'hello@mail.example.com' },
    to: [{ name: 'Jane Doe', address: 'jane@example.com' }],
    cc: [],
    replyTo: [],
    subject: 'Hello',
    html: '<p>Hello Jane</p>\n',
    text: 'Hello Jane\n',
    headers: [],
    unsubscribeUrl: null,
    ...changes,
  };
}
