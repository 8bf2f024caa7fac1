import { findMessage, type KeptMessage, type Mailbox } from './mailbox.js';
import { readRaw } from './message-files.js';
import { type ParsedMessage, parseMessage } from './parse-message.js';
import { type Summary, summarize } from './summarize.js';

export type ReadMessage = { readonly message: KeptMessage; readonly raw: Buffer; readonly parsed: ParsedMessage };

/** @returns null for an id that is not in the mailbox, and when somebody removed its file */
export async function readMessage(mailbox: Mailbox, id: string): Promise<ReadMessage | null> {
  const message = findMessage(mailbox, id);
  const raw = message ? await readRaw(mailbox.folder, id) : null;
  return message && raw ? { message, raw, parsed: await parseMessage(raw, message.to) } : null;
}

/** Parses each message once; the summary stays in memory for as long as the message is kept. */
export async function summaryOf(mailbox: Mailbox, message: KeptMessage): Promise<Summary> {
  if (!message.summary) {
    const raw = await readRaw(mailbox.folder, message.id);
    message.summary = summarize(await parseMessage(raw ?? Buffer.alloc(0), message.to));
  }
  return message.summary;
}
