import { newId } from '@posthorn/platform/values';
import { readEnvelopes, removeMessageFiles, writeEnvelope, writeMessage } from './message-files.js';
import type { Summary } from './summarize.js';

/** Older messages are deleted. */
export const MAX_MESSAGES = 500;

export type StoredMessage = {
  readonly id: string;
  /** MAIL FROM; empty for the null sender. */
  readonly from: string;
  /** RCPT TO, which includes Bcc recipients. */
  readonly to: readonly string[];
  readonly receivedAt: Date;
  /** Size of the raw message in bytes. */
  readonly size: number;
  isRead: boolean;
  /** Computed when the message is first listed. */
  summary: Summary | null;
};

/** The messages are files in `folder`; `messages` is the index of these files, newest first. */
export type Mailbox = { readonly folder: string; messages: StoredMessage[] };

export async function openMailbox(folder: string): Promise<Mailbox> {
  const envelopes = await readEnvelopes(folder);
  const mailbox: Mailbox = { folder, messages: envelopes.map((envelope) => ({ ...envelope, summary: null })) };
  await removeOldest(mailbox);
  return mailbox;
}

export async function storeMessage(
  mailbox: Mailbox,
  { from, to, raw }: { from: string; to: readonly string[]; raw: Buffer },
): Promise<StoredMessage> {
  const id = newId();
  const envelope = { from, to, receivedAt: new Date(), isRead: false };
  await writeMessage(mailbox.folder, id, { raw, envelope });
  const message = { ...envelope, id, size: raw.length, summary: null };
  mailbox.messages.push(message);
  await removeOldest(mailbox);
  return message;
}

export function findMessage(mailbox: Mailbox, id: string): StoredMessage | undefined {
  return mailbox.messages.find((message) => message.id === id);
}

export async function markRead(mailbox: Mailbox, message: StoredMessage): Promise<void> {
  if (message.isRead) return;
  message.isRead = true;
  await writeEnvelope(mailbox.folder, message.id, message);
}

/** Ignores IDs that are not in the mailbox. */
export async function removeMessages(mailbox: Mailbox, ids: ReadonlySet<string>): Promise<void> {
  const removed = mailbox.messages.filter(({ id }) => ids.has(id));
  mailbox.messages = mailbox.messages.filter(({ id }) => !ids.has(id));
  for (const { id } of removed) await removeMessageFiles(mailbox.folder, id);
}

export function countUnread({ messages }: Mailbox): number {
  return messages.filter(({ isRead }) => !isRead).length;
}

/** Sorts by ID first, because messages that arrive together may not be stored in ID order. */
async function removeOldest(mailbox: Mailbox): Promise<void> {
  mailbox.messages.sort((a, b) => (a.id < b.id ? 1 : -1));
  const removed = mailbox.messages.splice(MAX_MESSAGES);
  for (const { id } of removed) await removeMessageFiles(mailbox.folder, id);
}
