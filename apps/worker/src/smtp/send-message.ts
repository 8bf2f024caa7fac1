import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Message } from '@posthorn/message';
import { failpoint } from '@posthorn/platform/failpoints';
import type { Span } from '@posthorn/platform/traces';
import type { Connection } from './connection.js';
import type { Dialogue } from './dialogue.js';
import { type CommandReply, isAccepted, type SmtpReply, toCommandReply } from './reply.js';
import type { Transaction } from './transaction-result.js';

export type Envelope = { readonly from: string; readonly to: readonly string[] };

export type OutgoingMessage = {
  /** The sender's workspace. If the transactions of several workspaces fail in a row, the relay is at fault. */
  readonly workspaceId: string;
  readonly envelope: Envelope;
  readonly message: Message;
  /** Called right before the first byte of the message is sent. If it returns false, nothing is sent. */
  readonly mayStart: () => boolean;
  /**
   * Called right before the end of the message is sent, without which the server does not have the message. If it
   * resolves to false, the end is not sent. Undefined if the email needs no handoff intent.
   * @throws IntentNotWritten
   */
  readonly beforeEnd?: (() => Promise<boolean>) | undefined;
  readonly span?: Span | undefined;
};

/** How far an SMTP transaction has progressed, and what the server has replied so far. */
export type TransactionProgress = {
  /** As in `Transaction`. */
  phase: Exclude<Transaction['phase'], 'connect'>;
  /** Replies to recipients that were refused individually, by address. */
  readonly refusals: Map<string, CommandReply>;
  /** The reply that ended the transaction. It applies to all other recipients. */
  replyForAll: CommandReply | null;
};

export class LeaseEnded extends Error {
  override name = 'LeaseEnded';

  constructor() {
    super('The lease on this email has ended');
  }
}

export class IntentNotWritten extends Error {
  override name = 'IntentNotWritten';

  constructor() {
    super('The end of the message was not sent, because the handoff intent could not be written to Postgres first');
  }
}

/** Messages are sent in chunks, so that the rest is not sent if the server replies early. Most fit in one chunk. */
const CHUNK_BYTES = 65_536;

const DOT = 0x2e;
const LF = 0x0a;

/**
 * Sends the message and its final dot. The lease is checked again right before the first byte, the last moment at
 * which nothing has been sent. The last chunk and the dot are sent in one write, unless the dot has to wait.
 * @param beforeDotMs how long the dot waits, in a write of its own. If the server closes the connection before the dot
 *   is sent, it certainly does not have the message, so the next relay can be tried
 * @throws LeaseEnded, MessageUnreadable, IntentNotWritten, or Error when the connection fails or the server replies too
 *   early
 */
export async function sendMessage(
  { dialogue }: Connection,
  outgoing: OutgoingMessage,
  { progress, beforeDotMs }: { readonly progress: TransactionProgress; readonly beforeDotMs: number },
): Promise<void> {
  dialogue.assertInSync();
  failpoint('before_data');
  if (!outgoing.mayStart()) throw new LeaseEnded();
  await sendPieces(dialogue, outgoing, { progress, beforeDotMs });
  const reply = await dialogue.readReply();
  if (progress.phase !== 'reply' && isAccepted(reply)) {
    throw new Error(`The server accepted the message before it was complete: ${reply.text}`);
  }
  if (isIntermediate(reply)) {
    throw new Error(`The server asked for more data after the end of the message: ${reply.text}`);
  }
  progress.replyForAll = toCommandReply(reply, 'DOT');
}

/** A 3xx is not a final reply to a message, so the result is still unknown. */
function isIntermediate({ code }: SmtpReply): boolean {
  return code !== null && code >= 300 && code < 400;
}

/** The final dot is sent with the last piece. If an attachment cannot be read, the connection is closed without it. */
async function sendPieces(
  dialogue: Dialogue,
  { message, mayStart: mayGoOn, beforeEnd }: OutgoingMessage,
  { progress, beforeDotMs }: { readonly progress: TransactionProgress; readonly beforeDotMs: number },
): Promise<void> {
  const end: MessageEnd = { progress, beforeEnd, beforeDotMs, mayGoOn };
  if (Buffer.isBuffer(message)) return sendLast(dialogue, stuffDots(message), end);
  const last = message.pieces.at(-1) as Buffer;
  for (const piece of message.pieces.slice(0, -1)) {
    const chunks = Buffer.isBuffer(piece) ? splitIntoChunks(stuffDots(piece)) : message.read(piece);
    for await (const chunk of chunks) if (!(await sendChunk(dialogue, chunk, progress))) return;
  }
  await sendLast(dialogue, stuffDots(last), end);
}

function splitIntoChunks(bytes: Buffer): Buffer[] {
  const count = Math.ceil(bytes.length / CHUNK_BYTES);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES));
}

/** @returns false if the server has replied early */
async function sendChunk(dialogue: Dialogue, chunk: Buffer, progress: TransactionProgress): Promise<boolean> {
  progress.phase = 'data';
  await dialogue.write(chunk);
  // The operating system may accept many chunks at once. A reply or an error is seen only in the next turn of the
  // event loop.
  await yieldToEventLoop();
  return !dialogue.isReadable();
}

type MessageEnd = Pick<OutgoingMessage, 'beforeEnd'> & {
  readonly progress: TransactionProgress;
  readonly beforeDotMs: number;
  /** Whether the lease is still valid. */
  readonly mayGoOn: () => boolean;
};

/** Stops when the server replies early. The server then lacks part of the message, and must not get the rest. */
async function sendLast(
  dialogue: Dialogue,
  message: Buffer,
  { progress, beforeEnd, beforeDotMs, mayGoOn }: MessageEnd,
): Promise<void> {
  let at = 0;
  for (; at + CHUNK_BYTES < message.length; at += CHUNK_BYTES) {
    if (!(await sendChunk(dialogue, message.subarray(at, at + CHUNK_BYTES), progress))) return;
  }
  if (beforeDotMs > 0) {
    if (!(await sendChunk(dialogue, message.subarray(at), progress))) return;
    at = message.length;
    await dialogue.untilReadable(beforeDotMs);
    if (!mayGoOn()) throw new LeaseEnded();
  }
  if (beforeEnd !== undefined && !dialogue.isReadable() && !(await beforeEnd())) throw new LeaseEnded();
  if (dialogue.isReadable()) return;
  progress.phase = 'reply';
  const end = message.at(-1) === LF ? DOT_LINE : LINE_END_AND_DOT_LINE;
  dialogue.writeEnd(Buffer.concat([message.subarray(at), end]), () => {
    progress.phase = 'data';
  });
  failpoint('after_data');
}

const DOT_LINE = Buffer.from('.\r\n');
const LINE_END_AND_DOT_LINE = Buffer.from('\r\n.\r\n');

/**
 * Doubles a dot at the start of a line (RFC 5321, 4.5.2). A bare CR or LF also counts as a line end, because some
 * servers treat it as one and could otherwise find the end of the message too early.
 */
function stuffDots(message: Buffer): Buffer {
  const dots = [...findIndexes('\n.', message), ...findIndexes('\r.', message)]
    .map((at) => at + 1)
    .sort((a, b) => a - b);
  if (message[0] === DOT) dots.unshift(0);
  if (dots.length === 0) return message;
  const stuffed = Buffer.allocUnsafe(message.length + dots.length);
  let [start, end] = [0, 0];
  for (const dot of dots) {
    // Copies up to the dot, inclusive. The next copy starts with the same dot.
    end += message.copy(stuffed, end, start, dot + 1);
    start = dot;
  }
  message.copy(stuffed, end, start);
  return stuffed;
}

function findIndexes(text: string, message: Buffer): number[] {
  const indexes: number[] = [];
  for (let at = message.indexOf(text); at !== -1; at = message.indexOf(text, at + 1)) indexes.push(at);
  return indexes;
}
