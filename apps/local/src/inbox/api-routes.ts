import { fileAnswer, jsonAnswer, textAnswer } from './answers.js';
import { countUnread, type Mailbox, markRead, removeMessages } from './mailbox.js';
import { messagesOnPage } from './page.js';
import { readMessage } from './read-message.js';
import type { Route } from './route.js';
import { viewMessage, viewSummary } from './view.js';

/** The part of Mailpit's API (https://mailpit.axllent.org/docs/api-v1/) that a test of an application needs. */
export const apiRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/messages',
    async handle({ mailbox }, { query }) {
      const { start, entries } = await messagesOnPage(mailbox, query);
      const messages = entries.map(({ message, summary }) => viewSummary(message, summary));
      const total = mailbox.messages.length;
      return jsonAnswer({ total, unread: countUnread(mailbox), count: messages.length, start, messages });
    },
  },

  {
    method: 'DELETE',
    path: '/api/v1/messages',
    async handle({ mailbox }, { body }) {
      const ids = idsToRemove(mailbox, body);
      if (!ids) return jsonAnswer({ Error: 'The body must be empty or {"IDs": ["..."]}' }, 400);
      await removeMessages(mailbox, ids);
      return textAnswer(200, 'ok');
    },
  },

  {
    method: 'GET',
    path: '/api/v1/message/:id',
    async handle({ mailbox }, { params: { id = '' } }) {
      const found = await readMessage(mailbox, id);
      if (!found) return messageNotFound();
      await markRead(mailbox, found.message);
      return jsonAnswer(viewMessage(found));
    },
  },

  {
    method: 'GET',
    path: '/api/v1/message/:id/raw',
    async handle({ mailbox }, { params: { id = '' } }) {
      const found = await readMessage(mailbox, id);
      return found ? fileAnswer(found.raw, 'text/plain') : messageNotFound();
    },
  },
];

/** @returns every id when none is named, as Mailpit has it, and null when the body is not understood */
function idsToRemove({ messages }: Mailbox, body: string): ReadonlySet<string> | null {
  const named = body.trim() === '' ? [] : readIds(body);
  if (!named) return null;
  return new Set(named.length > 0 ? named : messages.map(({ id }) => id));
}

function readIds(body: string): string[] | null {
  try {
    const { IDs = [] } = JSON.parse(body);
    return Array.isArray(IDs) ? IDs.map(String) : null;
  } catch {
    return null;
  }
}

function messageNotFound() {
  return jsonAnswer({ Error: 'message not found' }, 404);
}
