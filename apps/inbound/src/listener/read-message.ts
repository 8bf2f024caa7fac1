import { createHash } from 'node:crypto';
import { limits } from '@posthorn/domain/limits';
import type { SMTPServerDataStream } from 'smtp-server';
import { SmtpRefusal } from './smtp-refusal.js';

export type ReceivedMessage = {
  /** The beginning of the message. A report comes before the message that it returns, so nothing else is needed. */
  readonly raw: Buffer;
  readonly size: number;
  /** SHA-256 of the whole message. */
  readonly digest: Buffer;
};

/**
 * Reads a message to its end, however long it is, but keeps only the beginning in memory.
 * @throws SmtpRefusal if it is larger than a message may be
 */
export async function readMessage(stream: SMTPServerDataStream): Promise<ReceivedMessage> {
  const hash = createHash('sha256');
  const kept: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk);
    const room = limits.storedReportBytes.max - size;
    if (room > 0) kept.push(chunk.subarray(0, room));
    size += chunk.length;
  }
  if (stream.sizeExceeded) throw new SmtpRefusal(552, `5.3.4 The limit is ${limits.reportBytes.max} bytes`);
  return { raw: Buffer.concat(kept), size, digest: hash.digest() };
}
