import { listMessages } from './list-messages.js';
import { loadMessage } from './load-message.js';
import { countUnread, type Mailbox, markRead, removeMessages } from './mailbox.js';
import { fileResponse, jsonResponse, textResponse } from './responses.js';
import type { Route } from './route.js';
import { viewMessage, viewSummary } from './view.js';

/** The part of Mailpit's API (https://mailpit.axllent.org/docs/api-v1/) that application tests use. */
export const apiRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/messages',
    async handle({ mailbox }, { query }) {
      const list = await listMessages(mailbox, query);
      const messages = list.messages.map(({ message, summary }) => viewSummary(message, summary));
      const total = mailbox.messages.length;
      return jsonResponse({ total, unread: countUnread(mailbox), count: messages.length, start: list.start, messages });
    },
  },

  {
    method: 'DELETE',
    path: '/api/v1/messages',
    async handle({ mailbox }, { body }) {
      const ids = idsToRemove(mailbox, body);
      if (!ids) return jsonResponse({ Error: 'The request body must be empty or {"IDs": ["..."]}.' }, 400);
      await removeMessages(mailbox, ids);
      return textResponse(200, 'ok');
    },
  },

  {
    method: 'GET',
    path: '/api/v1/message/:id',
    async handle({ mailbox }, { params: { id = '' } }) {
      const found = await loadMessage(mailbox, id);
      if (!found) return messageNotFound();
      await markRead(mailbox, found.message);
      return jsonResponse(viewMessage(found));
    },
  },

  {
    method: 'GET',
    path: '/api/v1/message/:id/raw',
    async handle({ mailbox }, { params: { id = '' } }) {
      const found = await loadMessage(mailbox, id);
      return found ? fileResponse(found.raw, 'text/plain') : messageNotFound();
    },
  },
];

/** @returns all IDs if the body lists none, as in Mailpit; null if the body is invalid */
function idsToRemove({ messages }: Mailbox, body: string): ReadonlySet<string> | null {
  const listed = body.trim() === '' ? [] : readIds(body);
  if (!listed) return null;
  return new Set(listed.length > 0 ? listed : messages.map(({ id }) => id));
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
  return jsonResponse({ Error: 'message not found' }, 404);
}
