import { createHash, hash, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { ClaimedAttachment } from '@posthorn/domain/attachments';
import { findSigningKey, type SigningKey, type SigningKeyContext } from '@posthorn/domain/domains';
import { type LoggedEmail, type StoredMessage, toLogFields } from '@posthorn/domain/emails';
import { parseAddress, toHost } from '@posthorn/domain/format';
import type { Context } from '@posthorn/platform';
import { isUnavailable } from '@posthorn/platform/postgres';
import { readMessages } from './attachment-parts.js';
import {
  buildMessage,
  buildPieces,
  is8Bit,
  type Message,
  type MessageParts,
  MessageUnreadable,
  type StreamedMessage,
} from './build-message.js';
import { fold } from './header.js';
import type { NotBuilt } from './render-message.js';

/**
 * Signs with the key of From's domain. A message is never sent unsigned. If the key cannot be read, the email
 * waits until Postgres is back or the right SECRET_KEY is set.
 * @param rewritten as for `signMessage`
 */
export async function signEmail(
  ctx: SigningKeyContext & Pick<Context, 'log'>,
  email: LoggedEmail & Pick<StoredMessage, 'domainId' | 'from'>,
  message: Message,
  rewritten: readonly string[] = [],
): Promise<{ readonly message: Message } | NotBuilt> {
  const found = await findSenderKey(ctx, email);
  if (!('key' in found)) return found;
  try {
    return { message: await signMessage(message, found.key, rewritten) };
  } catch (error) {
    if (error instanceof MessageUnreadable) return { postponed: error.message };
    ctx.log.error({ error, ...toLogFields(email) }, 'message_not_signed');
    return { fault: 'The message could not be signed' };
  }
}

export async function findSenderKey(
  ctx: SigningKeyContext & Pick<Context, 'log'>,
  email: LoggedEmail & Pick<StoredMessage, 'domainId' | 'from'>,
): Promise<{ readonly key: SigningKey } | NotBuilt> {
  const host = getSenderHost(email);
  let key: SigningKey | null;
  try {
    key = await findSigningKey(ctx, email.domainId);
  } catch (error) {
    const level = isUnavailable(error) ? 'warn' : 'error';
    ctx.log[level]({ error, ...toLogFields(email) }, 'signing_key_not_read');
    return { postponed: `The signing key of ${host} could not be read` };
  }
  if (key === null) return { fault: `The sending domain ${host} no longer has a signing key` };
  if (key.domain !== host) return { fault: `The email is from ${host}, but its signing key is for ${key.domain}` };
  return { key };
}

/** The domain of From. Its key signs the message, and it is part of the message id and the return path. */
export function getSenderHost({ from }: Pick<StoredMessage, 'from'>): string {
  return toHost(parseAddress(from).address);
}

const HEADER = 'DKIM-Signature';

/** The signature is split so that each piece fills one line. */
const SIGNATURE_PIECE = /.{1,72}/g;

/** With a callback, Node signs in its thread pool. On the event loop, signing would block other emails. */
const signInThreadPool = promisify<string, Buffer, KeyObject, Buffer>(sign);

/**
 * Puts a DKIM-Signature (RFC 6376) in front of the message: rsa-sha256, relaxed/relaxed, over the whole body. It has no
 * t= tag, so that every attempt produces the same bytes. The signed Date already contains the time.
 * @param message the final header fields, a blank line and the body, in lines that end with CRLF
 * @param rewritten names of headers, in lower case, that the next server replaces, so that a signature over them, or over
 *   their absence, would fail
 * @throws Error if the key is not an RSA key or the message does not have exactly one From
 */
export async function signMessage(message: Buffer, key: SigningKey): Promise<Buffer>;
export async function signMessage(message: Message, key: SigningKey, rewritten?: readonly string[]): Promise<Message>;
export async function signMessage(
  message: Message,
  { domain, selector, privateKey }: SigningKey,
  rewritten: readonly string[] = [],
): Promise<Message> {
  // Node would also sign with another kind of key, but no receiver could verify that signature as rsa-sha256.
  if (privateKey.asymmetricKeyType !== 'rsa') throw new Error('The signing key is not an RSA key');
  const first = Buffer.isBuffer(message) ? message : message.pieces[0];
  const { fields, body } = split(first);
  const headers = signedHeaders(fields).filter(({ name }) => !rewritten.includes(name));
  const tags = [
    ...['v=1;', 'a=rsa-sha256;', 'c=relaxed/relaxed;', `d=${domain};`, `s=${selector};`],
    ...toNamesTag(headers),
    `bh=${Buffer.isBuffer(message) ? hash('sha256', toRelaxedBody(body), 'base64') : await hashPieces(body, message)};`,
  ];
  const signed = [
    ...headers.flatMap((header) => header.fields).map((field) => `${toRelaxedHeader(field)}\r\n`),
    toRelaxedHeader(`${HEADER}:${tags.join(' ')} b=`),
  ];
  const signature = await signInThreadPool('sha256', Buffer.from(signed.join(''), 'latin1'), privateKey);
  const pieces = `b=${signature.toString('base64')}`.match(SIGNATURE_PIECE) ?? [];
  const field = Buffer.from(fold(HEADER, [...tags, ...pieces]), 'latin1');
  const signedFirst = Buffer.concat([field, first]);
  if (Buffer.isBuffer(message)) return signedFirst;
  const [, ...others] = message.pieces;
  return { ...message, length: message.length + field.length, pieces: [signedFirst, ...others] };
}

/** Base64 is in relaxed form already, so attachments are hashed as they are. */
async function hashPieces(body: Buffer, { pieces, read }: StreamedMessage): Promise<string> {
  const sum = createHash('sha256');
  const [, ...others] = pieces;
  for (const [index, piece] of [body, ...others].entries()) {
    if (!Buffer.isBuffer(piece)) for await (const lines of read(piece)) sum.update(lines);
    else sum.update(index === others.length ? toRelaxedBody(piece) : relaxedPiece(piece));
  }
  return sum.digest('base64');
}

/** The relaxed form drops empty lines only at the end of the body, so a middle piece must not look like the last. */
const NOT_THE_END = Buffer.from('.\r\n');

function relaxedPiece(piece: Buffer): Buffer {
  return toRelaxedBody(Buffer.concat([piece, NOT_THE_END])).subarray(0, -NOT_THE_END.length);
}

/** Splits a message into header fields, which keep their folds, and body. Latin-1 keeps every byte unchanged. */
function split(message: Buffer): { fields: string[]; body: Buffer } {
  const end = message.indexOf('\r\n\r\n');
  if (end === -1) throw new Error('The message has no blank line after its headers');
  return { fields: message.toString('latin1', 0, end).split(/\r\n(?![ \t])/), body: message.subarray(end + 4) };
}

/** The h= tag, as words that may be on separate lines. Blanks are allowed around the colons (RFC 6376, 3.5). */
function toNamesTag(headers: readonly SignedHeader[]): string[] {
  const names = headers.map(({ name, fields }) => Array.from({ length: fields.length + 1 }, () => name).join(':'));
  return names.map((same, index) => {
    const end = index === names.length - 1 ? ';' : ':';
    return `${index === 0 ? 'h=' : ''}${same}${end}`;
  });
}

/**
 * Headers that people see, that decide where replies go, or that say how to read the body (RFC 6376, 5.4.1). Headers
 * that other servers add or rewrite are not signed.
 */
const ALWAYS_SIGNED = [
  'from',
  'reply-to',
  'to',
  'cc',
  'subject',
  'date',
  'message-id',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
];

/**
 * RFC 8058 (section 4) requires a signature over List-Unsubscribe and List-Unsubscribe-Post. A semicolon in a name
 * would end the h= tag (RFC 6376, 2.10).
 */
const SIGNED_IF_PRESENT = /^list-[^;]*$/;

/** A header name for the h= tag, and the message's header fields of that name. */
type SignedHeader = {
  readonly name: string;
  /** In signing order: from the last in the message to the first (RFC 6376, 5.4.2). */
  readonly fields: readonly string[];
};

/**
 * Lists each name in h= once more than the message contains it, so that an added From or Reply-To breaks the signature
 * (RFC 6376, 5.4.2 and 8.15). List-* names are listed only if present, because mailing lists that forward the
 * message add their own.
 * @param fields all header fields of the message
 * @throws Error unless there is exactly one From
 */
function signedHeaders(fields: readonly string[]): SignedHeader[] {
  const byName = new Map<string, string[]>(ALWAYS_SIGNED.map((name) => [name, []]));
  for (const field of fields) {
    const name = getName(field);
    if (SIGNED_IF_PRESENT.test(name) && !byName.has(name)) byName.set(name, []);
    byName.get(name)?.unshift(field);
  }
  if (byName.get('from')?.length !== 1) throw new Error('The message does not have exactly one From');
  return [...byName].map(([name, of]) => ({ name, fields: of }));
}

/**
 * Canonicalizes a header field for signing with the relaxed algorithm (RFC 6376, 3.4.2): lower-case name, unfolded
 * value, runs of blanks replaced by one space, no blanks around the value.
 * @param field as in the message, without its final CRLF
 */
export function toRelaxedHeader(field: string): string {
  const colon = field.indexOf(':');
  const value = field.slice(colon + 1).replace(/[ \t\r\n]+/g, ' ');
  return `${getName(field)}:${value.replace(/^ | $/g, '')}`;
}

function getName(field: string): string {
  return field.slice(0, field.indexOf(':')).trimEnd().toLowerCase();
}

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

/**
 * Canonicalizes a body for hashing with the relaxed algorithm (RFC 6376, 3.4.4): runs of blanks become one space, and
 * blanks at line ends and empty lines at the end are removed. Unless it is empty, the result ends with CRLF.
 * @param body lines that end with CRLF; they may contain any bytes
 */
export function toRelaxedBody(body: Buffer): Buffer {
  // Most bodies are in this form already. Checking this with a regular expression is ten times as fast as running the
  // loop.
  const text = body.toString('latin1');
  return text.endsWith('\r\n') && !UNRELAXED.test(text) ? body : relax(body);
}

/** A tab, two spaces in a row, a space at a line end, or an empty line at the end. */
const UNRELAXED = /\t| {2}| \r\n|(?:^|\r\n)\r\n$/;

function relax(body: Buffer): Buffer {
  const relaxed = Buffer.allocUnsafe(body.length + 2);
  let end = 0;
  let lineStart = 0;
  let lastLineEnd = 0;
  let afterBlank = false;

  function endLine(): void {
    const isEmpty = end === lineStart;
    relaxed[end] = CR;
    relaxed[end + 1] = LF;
    end += 2;
    lineStart = end;
    if (!isEmpty) lastLineEnd = end;
    afterBlank = false;
  }

  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] as number;
    if (byte === SPACE || byte === TAB) {
      afterBlank = true;
    } else if (byte === CR && body[at + 1] === LF) {
      endLine();
      at += 1;
    } else {
      if (afterBlank) relaxed[end++] = SPACE;
      afterBlank = false;
      relaxed[end++] = byte;
    }
  }
  if (end > lineStart) endLine();
  return relaxed.subarray(0, lastLineEnd);
}

/** `contents` has the base64 lines of each attachment, in the order of `attachments`. */
export type WholeMessageParts = {
  readonly parts: MessageParts;
  readonly attachments: readonly ClaimedAttachment[];
  readonly contents: readonly Uint8Array[];
  readonly key: SigningKey;
};

/**
 * Builds and signs a message in memory. The bytes are those of `renderMessage` and `signEmail`. Large ones take a
 * while.
 */
export async function buildWholeMessage({ parts, attachments, contents, key }: WholeMessageParts): Promise<Buffer> {
  if (attachments.length === 0) return signMessage(buildMessage(parts), key);
  const read = (attachment: ClaimedAttachment) => [Buffer.from(contents[attachments.indexOf(attachment)] ?? [])];
  const pieces = buildPieces(parts, attachments, await readMessages(attachments, read));
  const sizes = pieces.map((piece) => (Buffer.isBuffer(piece) ? piece : read(piece)[0])?.length ?? 0);
  const length = sizes.reduce((sum, size) => sum + size, 0);
  const signed = (await signMessage({ pieces, read, length, is8Bit: is8Bit(pieces) }, key)) as StreamedMessage;
  const buffers: Buffer[] = [];
  for (const piece of signed.pieces) buffers.push(...(Buffer.isBuffer(piece) ? [piece] : read(piece)));
  return Buffer.concat(buffers);
}
