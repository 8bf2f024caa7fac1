import { loadSummary } from './load-message.js';
import type { Mailbox, StoredMessage } from './mailbox.js';
import type { Summary } from './summarize.js';

const DEFAULT_LIMIT = 50;

export type ListedMessage = { readonly message: StoredMessage; readonly summary: Summary };

export type MessageList = {
  readonly start: number;
  readonly limit: number;
  readonly messages: readonly ListedMessage[];
};

/** @param query `start`: how many of the newest messages to skip; `limit`: how many to return, 50 by default */
export async function listMessages(mailbox: Mailbox, query: URLSearchParams): Promise<MessageList> {
  const start = parseWholeNumber(query.get('start')) ?? 0;
  const limit = parseWholeNumber(query.get('limit')) ?? DEFAULT_LIMIT;
  const messages: ListedMessage[] = [];
  // One at a time, because each raw message is in memory while it is summarized.
  for (const message of mailbox.messages.slice(start, start + limit)) {
    messages.push({ message, summary: await loadSummary(mailbox, message) });
  }
  return { start, limit, messages };
}

function parseWholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
