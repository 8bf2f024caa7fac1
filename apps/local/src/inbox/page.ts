import type { KeptMessage, Mailbox } from './mailbox.js';
import { summaryOf } from './read-message.js';
import type { Summary } from './summarize.js';

const PAGE_LENGTH = 50;

export type ListEntry = { readonly message: KeptMessage; readonly summary: Summary };

export type Page = { readonly start: number; readonly limit: number; readonly entries: readonly ListEntry[] };

/** @param query `start`: how many of the newest to pass over; `limit`: how many to give at most, 50 if it is not said */
export async function messagesOnPage(mailbox: Mailbox, query: URLSearchParams): Promise<Page> {
  const start = wholeNumber(query.get('start')) ?? 0;
  const limit = wholeNumber(query.get('limit')) ?? PAGE_LENGTH;
  const entries: ListEntry[] = [];
  // One after the other: all at once they would all be in memory, source and all
  for (const message of mailbox.messages.slice(start, start + limit)) {
    entries.push({ message, summary: await summaryOf(mailbox, message) });
  }
  return { start, limit, entries };
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
