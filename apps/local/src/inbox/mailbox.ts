import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isId, newId } from '@posthorn/platform/values';

/** Older messages are deleted. */
export const MAX_MESSAGES = 500;

export type StoredMessage = {
  readonly id: string;
  /** MAIL FROM; empty for the null sender. */
  readonly from: string;
  /** RCPT TO, which includes Bcc recipients. */
  readonly to: readonly string[];
  readonly receivedAt: Date;
  readonly size: number;
  isRead: boolean;
};

/** The messages are files in `folder`; `messages` is the index of these files, newest first. */
export type Mailbox = { readonly folder: string; messages: StoredMessage[] };

/** Creates the folder if needed and skips damaged messages. */
export async function loadMailbox(folder: string): Promise<Mailbox> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = await readdir(folder);
  const ids = names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length));
  const found = await Promise.all(ids.filter(isId).map((id) => readStored(folder, id)));
  const mailbox = { folder, messages: found.filter((message) => message !== null) };
  await removeOldest(mailbox);
  return mailbox;
}

/**
 * A message is two files: `<id>.eml` holds the raw message and `<id>.json` its envelope. The envelope is written last,
 * so an incomplete message is never listed.
 */
export async function storeMessage(
  mailbox: Mailbox,
  { from, to, raw }: { from: string; to: readonly string[]; raw: Buffer },
): Promise<StoredMessage> {
  const message = { id: newId(), from, to, receivedAt: new Date(), isRead: false, size: raw.length };
  await writeFile(toRawFile(mailbox.folder, message.id), raw, { mode: 0o600 });
  await writeEnvelope(mailbox.folder, message);
  mailbox.messages.push(message);
  await removeOldest(mailbox);
  return message;
}

export function findMessage(mailbox: Mailbox, id: string): StoredMessage | undefined {
  return mailbox.messages.find((message) => message.id === id);
}

/** @returns null if the file is missing or unreadable */
export async function readRaw({ folder }: Mailbox, id: string): Promise<Buffer | null> {
  return readFile(toRawFile(folder, id)).catch(() => null);
}

export async function markRead(mailbox: Mailbox, message: StoredMessage): Promise<void> {
  if (message.isRead) return;
  message.isRead = true;
  await writeEnvelope(mailbox.folder, message);
}

/** Ignores IDs that are not in the mailbox. */
export async function removeMessages(mailbox: Mailbox, ids: ReadonlySet<string>): Promise<void> {
  const removed = mailbox.messages.filter(({ id }) => ids.has(id));
  mailbox.messages = mailbox.messages.filter(({ id }) => !ids.has(id));
  await removeFiles(mailbox, removed);
}

/** Sorts by ID first, because messages that arrive together may not be stored in ID order. */
async function removeOldest(mailbox: Mailbox): Promise<void> {
  mailbox.messages.sort((a, b) => (a.id < b.id ? 1 : -1));
  await removeFiles(mailbox, mailbox.messages.splice(MAX_MESSAGES));
}

async function removeFiles({ folder }: Mailbox, messages: readonly StoredMessage[]): Promise<void> {
  for (const { id } of messages) {
    await rm(toRawFile(folder, id), { force: true });
    await rm(toEnvelopeFile(folder, id), { force: true });
  }
}

async function writeEnvelope(folder: string, { id, from, to, receivedAt, isRead }: StoredMessage): Promise<void> {
  const file = toEnvelopeFile(folder, id);
  const text = JSON.stringify({ from, to, received_at: receivedAt.toISOString(), is_read: isRead });
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

async function readStored(folder: string, id: string): Promise<StoredMessage | null> {
  try {
    const { size } = await stat(toRawFile(folder, id));
    const { from, to, received_at, is_read } = JSON.parse(await readFile(toEnvelopeFile(folder, id), 'utf8'));
    const receivedAt = new Date(received_at);
    const isValid = typeof from === 'string' && isStringArray(to) && !Number.isNaN(receivedAt.getTime());
    return isValid ? { id, from, to, receivedAt, isRead: is_read === true, size } : null;
  } catch {
    return null;
  }
}

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function toRawFile(folder: string, id: string): string {
  return join(folder, `${id}.eml`);
}

function toEnvelopeFile(folder: string, id: string): string {
  return join(folder, `${id}.json`);
}
