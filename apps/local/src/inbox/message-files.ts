import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isId } from '@posthorn/platform/values';

/** What is stored with the raw message. */
export type Envelope = {
  readonly from: string;
  readonly to: readonly string[];
  readonly receivedAt: Date;
  readonly isRead: boolean;
};

export type StoredEnvelope = Envelope & { readonly id: string; readonly size: number };

/**
 * A message is two files: `<id>.eml` holds the raw message and `<id>.json` its envelope. The envelope
 * is written last, so an incomplete message is never listed.
 */
export async function writeMessage(
  folder: string,
  id: string,
  { raw, envelope }: { raw: Buffer; envelope: Envelope },
): Promise<void> {
  await writeFile(rawFile(folder, id), raw, { mode: 0o600 });
  await writeEnvelope(folder, id, envelope);
}

export async function writeEnvelope(folder: string, id: string, envelope: Envelope): Promise<void> {
  const { from, to, receivedAt, isRead } = envelope;
  const file = envelopeFile(folder, id);
  const text = JSON.stringify({ from, to, received_at: receivedAt.toISOString(), is_read: isRead });
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** @returns null if the file is missing or unreadable */
export async function readRaw(folder: string, id: string): Promise<Buffer | null> {
  return readFile(rawFile(folder, id)).catch(() => null);
}

export async function removeMessageFiles(folder: string, id: string): Promise<void> {
  await rm(rawFile(folder, id), { force: true });
  await rm(envelopeFile(folder, id), { force: true });
}

/** Reads all envelopes of a folder in no particular order. Creates the folder if needed and skips damaged messages. */
export async function readEnvelopes(folder: string): Promise<StoredEnvelope[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const names = await readdir(folder);
  const ids = names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length));
  const found = await Promise.all(ids.filter(isId).map((id) => readEnvelope(folder, id)));
  return found.filter((envelope) => envelope !== null);
}

async function readEnvelope(folder: string, id: string): Promise<StoredEnvelope | null> {
  try {
    const { size } = await stat(rawFile(folder, id));
    const { from, to, received_at, is_read } = JSON.parse(await readFile(envelopeFile(folder, id), 'utf8'));
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

function rawFile(folder: string, id: string): string {
  return join(folder, `${id}.eml`);
}

function envelopeFile(folder: string, id: string): string {
  return join(folder, `${id}.json`);
}
