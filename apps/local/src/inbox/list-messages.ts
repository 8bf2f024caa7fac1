import { loadSummary } from './load-message.js';
import type { Mailbox, StoredMessage } from './mailbox.js';
import type { Summary } from './summarize.js';

const DEFAULT_LIMIT = 50;

export type ListedMessage = { readonly message: StoredMessage; readonly summary: Summary };

export type MessageList = {
  readonly start: number;
  readonly messages: readonly ListedMessage[];
};

/** `start`: how many of the newest messages to skip; `limit`: how many to return, 50 by default */
type ListQuery = { readonly start?: unknown; readonly limit?: unknown };

/** Ignores values that are not whole numbers. */
export async function listMessages(mailbox: Mailbox, query: ListQuery): Promise<MessageList> {
  const start = parseWholeNumber(query.start) ?? 0;
  const limit = parseWholeNumber(query.limit) ?? DEFAULT_LIMIT;
  const messages: ListedMessage[] = [];
  // One at a time, because each raw message is in memory while it is summarized.
  for (const message of mailbox.messages.slice(start, start + limit)) {
    messages.push({ message, summary: await loadSummary(mailbox, message) });
  }
  return { start, messages };
}

function parseWholeNumber(value: unknown): number | null {
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : null;
}
