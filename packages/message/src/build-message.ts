import { isAscii } from 'node:buffer';
import { hash } from 'node:crypto';
import { type ClaimedAttachment, isInvitationType } from '@posthorn/domain/attachments';
import { buildMessageId, type StoredMessage } from '@posthorn/domain/emails';
import { type Address, encodeBody, findHeaderFault, parseAddress } from '@posthorn/domain/format';
import {
  type AttachedMessages,
  type Piece,
  type ReadAttachment,
  toFilePart,
  toInvitationPart,
} from './attachment-parts.js';
import {
  assertAddress,
  CRLF,
  formatAddressHeader,
  formatCustomHeader,
  formatDateHeader,
  formatHeader,
} from './header.js';

/** What a message is built from. There is no bcc, because bcc recipients are only in the envelope. */
export type MessageParts = {
  /** Written as X-Email-ID, so that someone who has a received message can find the email. */
  readonly emailId: string;
  /** `local@domain`, without angle brackets. */
  readonly messageId: string;
  readonly date: Date;
  readonly from: Address;
  readonly to: readonly Address[];
  readonly cc: readonly Address[];
  readonly replyTo: readonly Address[];
  readonly subject: string;
  /** Either html or text may be null, but not both. */
  readonly html: string | null;
  readonly text: string | null;
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** Where the recipient unsubscribes; null for mail that one cannot unsubscribe from. */
  readonly unsubscribeUrl: string | null;
};

export function toMessageParts(
  email: StoredMessage,
  { html, text }: Pick<MessageParts, 'html' | 'text'>,
  unsubscribeUrl: string | null,
): MessageParts {
  return {
    emailId: email.id,
    messageId: buildMessageId(email.id, email.from),
    date: email.date,
    from: parseAddress(email.from),
    to: email.to.map(parseAddress),
    cc: email.cc.map(parseAddress),
    replyTo: email.replyTo.map(parseAddress),
    subject: email.subject,
    html,
    text,
    headers: Object.entries(email.headers),
    unsubscribeUrl,
  };
}

/**
 * Builds an email's message (RFC 5322 and 2045): 7-bit ASCII, in lines that end with CRLF and have at most 998
 * characters. The same parts always produce the same bytes.
 *
 * This is the worker's busiest function, so it processes bodies as whole buffers. Nodemailer would take about ten
 * times as long to build the message.
 * @throws Error for parts that would inject a header or an address; the API has already refused those
 */
export function buildMessage(parts: MessageParts): Buffer {
  const [first, second] = listBodies(parts);
  const head = buildHeaders(parts);
  if (second === undefined) return Buffer.concat(singlePart(head, first, { endsMessage: true }));
  return Buffer.concat(alternatives(head, parts.messageId, [first, second]));
}

/**
 * Builds a message with attachments. Files that the html shows are in one multipart/related with it (RFC 2387), and the
 * others follow in a multipart/mixed. An invitation is also an alternative to the text, because mail programs show its
 * buttons only there, and those that know no invitations show the file.
 * @param messages the content of the attachments that are messages, which are not sent in base64
 * @throws Error like `buildMessage`
 */
export function buildPieces(
  parts: MessageParts,
  attachments: readonly ClaimedAttachment[],
  messages: AttachedMessages = NO_MESSAGES,
): readonly [Buffer, ...Piece[]] {
  const { html, messageId } = parts;
  const isInline = ({ contentId }: ClaimedAttachment) => html !== null && contentId !== null;
  const inline = attachments.filter(isInline).map((each) => toFilePart(each, 'inline', messages));
  const others = attachments.filter((each) => !isInline(each));
  const invitation = others.find(({ contentType }) => isInvitationType(contentType));
  const { texts, type } = buildTexts(parts, invitation === undefined ? [] : [toInvitationPart(invitation)]);
  const shown = inline.length === 0 ? texts : multipart('related', messageId, { type, parts: [texts, ...inline] });
  const files = others.map((each) => toFilePart(each, each === invitation ? 'invitation' : 'attachment', messages));
  const all = files.length === 0 ? shown : multipart('mixed', messageId, { parts: [shown, ...files] });
  return joined([Buffer.from(buildHeaders(parts), 'latin1'), ...all]);
}

const NO_MESSAGES: AttachedMessages = new Map();

/** @param more further alternatives */
function buildTexts(parts: MessageParts, more: readonly Piece[][]): { texts: readonly Piece[]; type: string } {
  const [first, second] = listBodies(parts);
  const bodies = [first, ...(second === undefined ? [] : [second])];
  if (bodies.length + more.length === 1)
    return { texts: singlePart('', first, { endsMessage: false }), type: first.type };
  const type = 'multipart/alternative';
  if (second !== undefined && more.length === 0)
    return { texts: alternatives('', parts.messageId, [first, second]), type };
  const texts = bodies.map((body) => singlePart('', body, { endsMessage: false }));
  return { texts: multipart('alternative', parts.messageId, { parts: [...texts, ...more] }), type };
}

/** Whether a message of these pieces needs a server that supports 8BITMIME. Base64 never does. */
export function is8Bit(pieces: readonly Piece[]): boolean {
  return pieces.some((piece) => Buffer.isBuffer(piece) && !isAscii(piece));
}

/** At least one. Plain text comes first, because mail clients show the last part they can display (RFC 2046, 5.1.4). */
function listBodies({ text, html }: MessageParts): [Body, ...Body[]] {
  const [first, ...others] = [
    { type: 'text/plain', content: text },
    { type: 'text/html', content: html },
  ].filter((body): body is Body => body.content !== null);
  if (first === undefined) throw new Error('A message has text, html or both');
  return [first, ...others];
}

/** `=_` cannot occur in base64 or quoted-printable, and each kind of multipart has a boundary of its own. */
function multipart(
  kind: 'alternative' | 'related' | 'mixed',
  messageId: string,
  { type, parts }: { type?: string; parts: readonly (readonly Piece[])[] },
): Piece[] {
  const texts = parts.flat().filter((piece) => Buffer.isBuffer(piece));
  const boundary = findBoundary(`${kind} ${messageId}`, texts);
  const ofType = type === undefined ? '' : ` type="${type}";`;
  // RFC 2045, 6.4: a multipart says that a part of it is in 8bit.
  const encoding = texts.every(isAscii) ? '' : `Content-Transfer-Encoding: 8bit${CRLF}`;
  return [
    Buffer.from(`Content-Type: multipart/${kind};${ofType}${CRLF} boundary="${boundary}"${CRLF}${encoding}`, 'latin1'),
    ...parts.flatMap((part) => [Buffer.from(`${CRLF}--${boundary}${CRLF}`, 'latin1'), ...part]),
    Buffer.from(`${CRLF}--${boundary}--${CRLF}`, 'latin1'),
  ];
}

function joined([first, ...others]: readonly [Buffer, ...Piece[]]): readonly [Buffer, ...Piece[]] {
  const pieces: [Buffer, ...Piece[]] = [first];
  for (const piece of others) {
    const last = pieces.at(-1) as Piece;
    if (Buffer.isBuffer(piece) && Buffer.isBuffer(last)) pieces[pieces.length - 1] = Buffer.concat([last, piece]);
    else pieces.push(piece);
  }
  return pieces;
}

type Body = { readonly type: string; readonly content: string };

function buildHeaders(parts: MessageParts): string {
  assertAddress('Message-ID', parts.messageId);
  return (
    formatAddressHeader('From', [parts.from]) +
    formatAddressHeader('To', parts.to) +
    formatAddressHeader('Cc', parts.cc) +
    formatAddressHeader('Reply-To', parts.replyTo) +
    formatHeader('Subject', parts.subject) +
    formatDateHeader(parts.date) +
    // Never folded, because message ids are compared and searched for.
    `Message-ID: <${parts.messageId}>${CRLF}` +
    formatHeader('X-Email-ID', parts.emailId) +
    parts.headers.map(formatCheckedHeader).join('') +
    unsubscribeHeaders(parts.unsubscribeUrl) +
    `MIME-Version: 1.0${CRLF}`
  );
}

/**
 * Tells mail clients that they can unsubscribe with one POST (RFC 8058, 3.1). Clients send it only if a DKIM signature
 * covers both headers (RFC 8058, 4).
 */
function unsubscribeHeaders(url: string | null): string {
  if (url === null) return '';
  return (
    formatHeader('List-Unsubscribe', `<${url}>`) + formatHeader('List-Unsubscribe-Post', 'List-Unsubscribe=One-Click')
  );
}

function formatCheckedHeader([name, value]: readonly [string, string]): string {
  const fault = findHeaderFault(name, value);
  if (fault !== null) throw new Error(`The header ${JSON.stringify(name)} ${fault}`);
  return formatCustomHeader(name, value);
}

function singlePart(head: string, { type, content }: Body, { endsMessage }: { endsMessage: boolean }): Buffer[] {
  const { encoding, bytes } = encodeBody(content, { endsMessage });
  return [Buffer.from(head + partHeaders(type, encoding), 'latin1'), bytes];
}

function alternatives(head: string, messageId: string, bodies: readonly Body[]): Buffer[] {
  const parts = bodies.map(({ type, content }) => ({ type, ...encodeBody(content, { endsMessage: false }) }));
  const boundary = findBoundary(
    messageId,
    parts.map(({ bytes }) => bytes),
  );
  const pieces = parts.flatMap(({ type, encoding, bytes }) => [
    Buffer.from(`${CRLF}--${boundary}${CRLF}${partHeaders(type, encoding)}`, 'latin1'),
    bytes,
  ]);
  return [
    Buffer.from(`${head}Content-Type: multipart/alternative; boundary="${boundary}"${CRLF}`, 'latin1'),
    ...pieces,
    Buffer.from(`${CRLF}--${boundary}--${CRLF}`, 'latin1'),
  ];
}

/** Includes the blank line after the headers. */
function partHeaders(type: string, encoding: string): string {
  return `Content-Type: ${type}; charset=utf-8${CRLF}Content-Transfer-Encoding: ${encoding}${CRLF}${CRLF}`;
}

/** A message as it is sent: whole, or with attachments that are read while it is sent. */
export type Message = Buffer | StreamedMessage;

export type StreamedMessage = {
  /** In bytes, including the attachments. */
  readonly length: number;
  /** Whether it has an attached message in 8bit. The server must then support 8BITMIME (RFC 6152). */
  readonly is8Bit: boolean;
  /** The first one begins with all headers, and the last one is a buffer. */
  readonly pieces: readonly [Buffer, ...Piece[]];
  /** Reads the content of an attachment in lines of base64, up to 64 kB at a time. @throws MessageUnreadable */
  readonly read: ReadAttachment;
};

/** Whether only a server that supports 8BITMIME may get the message. */
export function needs8Bit(message: Message): boolean {
  return !Buffer.isBuffer(message) && message.is8Bit;
}

/** An attachment could not be read while the message was being signed or sent. */
export class MessageUnreadable extends Error {
  override name = 'MessageUnreadable';

  constructor() {
    super('An attachment could not be read');
  }
}

/**
 * The boundary between the parts of a message. It is derived from the message id, so that every attempt builds the same
 * bytes. `=_` cannot occur in quoted-printable or base64 (RFC 2045, 6.7). If a 7bit part contains the boundary, another
 * one is tried.
 */
function findBoundary(messageId: string, parts: readonly Buffer[]): string {
  for (let round = 0; ; round += 1) {
    const digest = hash('sha256', `${round} ${messageId}`);
    const boundary = `=_${digest.slice(0, 24)}`;
    if (!parts.some((part) => part.includes(boundary))) return boundary;
  }
}

/** Puts header fields in front of a message that is not signed yet. @param headers with values of one line */
export function addHeaders(message: Message, headers: ReadonlyArray<{ name: string; value: string }>): Message {
  if (headers.length === 0) return message;
  const fields = Buffer.from(headers.map(({ name, value }) => `${name}: ${value}\r\n`).join(''), 'latin1');
  if (Buffer.isBuffer(message)) return Buffer.concat([fields, message]);
  const [first, ...others] = message.pieces;
  return { ...message, length: message.length + fields.length, pieces: [Buffer.concat([fields, first]), ...others] };
}
