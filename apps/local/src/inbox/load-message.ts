import { findMessage, type Mailbox, type StoredMessage } from './mailbox.js';
import { readRaw } from './message-files.js';
import { type ParsedMessage, parseMessage } from './parse-message.js';
import { type Summary, summarize } from './summarize.js';

export type LoadedMessage = { readonly message: StoredMessage; readonly parsed: ParsedMessage };

/** @returns null if the mailbox has no message with this ID or its file was deleted */
export async function loadMessage(mailbox: Mailbox, id: string): Promise<LoadedMessage | null> {
  const message = findMessage(mailbox, id);
  const raw = message ? await readRaw(mailbox.folder, id) : null;
  return message && raw ? { message, parsed: await parseMessage(raw, message.to) } : null;
}

/** Parses the message once and then keeps its summary in memory. */
export async function loadSummary(mailbox: Mailbox, message: StoredMessage): Promise<Summary> {
  if (!message.summary) {
    const raw = await readRaw(mailbox.folder, message.id);
    message.summary = summarize(await parseMessage(raw ?? Buffer.alloc(0), message.to));
  }
  return message.summary;
}
