import { newId } from '@posthorn/domain';
import { readEnvelopes, removeMessageFiles, writeEnvelope, writeMessage } from './message-files.js';
import type { Summary } from './summarize.js';

/** Older messages are removed, files and all. */
export const KEPT_MESSAGES = 500;

export type KeptMessage = {
  readonly id: string;
  /** MAIL FROM; empty for the null sender. */
  readonly from: string;
  /** RCPT TO: also those whom no header names. */
  readonly to: readonly string[];
  readonly receivedAt: Date;
  /** Bytes of the raw message. */
  readonly size: number;
  isRead: boolean;
  /** Made when the message is first listed. */
  summary: Summary | null;
};

/** Lives in the files of `folder`; `messages` is their index, newest first. */
export type Mailbox = { readonly folder: string; messages: KeptMessage[] };

export async function openMailbox(folder: string): Promise<Mailbox> {
  const envelopes = await readEnvelopes(folder);
  const mailbox: Mailbox = { folder, messages: envelopes.map((envelope) => ({ ...envelope, summary: null })) };
  await dropOldest(mailbox);
  return mailbox;
}

export async function keepMessage(
  mailbox: Mailbox,
  { from, to, raw }: { from: string; to: readonly string[]; raw: Buffer },
): Promise<KeptMessage> {
  const id = newId();
  const envelope = { from, to, receivedAt: new Date(), isRead: false };
  await writeMessage(mailbox.folder, id, { raw, envelope });
  const message = { ...envelope, id, size: raw.length, summary: null };
  mailbox.messages.push(message);
  await dropOldest(mailbox);
  return message;
}

export function findMessage(mailbox: Mailbox, id: string): KeptMessage | undefined {
  return mailbox.messages.find((message) => message.id === id);
}

export async function markRead(mailbox: Mailbox, message: KeptMessage): Promise<void> {
  if (message.isRead) return;
  message.isRead = true;
  await writeEnvelope(mailbox.folder, message.id, message);
}

/** @param ids those to remove; what is not in the mailbox is passed over */
export async function removeMessages(mailbox: Mailbox, ids: ReadonlySet<string>): Promise<void> {
  const removed = mailbox.messages.filter(({ id }) => ids.has(id));
  mailbox.messages = mailbox.messages.filter(({ id }) => !ids.has(id));
  for (const { id } of removed) await removeMessageFiles(mailbox.folder, id);
}

export function countUnread({ messages }: Mailbox): number {
  return messages.filter(({ isRead }) => !isRead).length;
}

/** Messages that arrive at once may be written in another order than that of their ids. */
async function dropOldest(mailbox: Mailbox): Promise<void> {
  mailbox.messages.sort((a, b) => (a.id < b.id ? 1 : -1));
  const dropped = mailbox.messages.splice(KEPT_MESSAGES);
  for (const { id } of dropped) await removeMessageFiles(mailbox.folder, id);
}
