import { type Address, headerFault } from '@posthorn/domain';
import { addressHeader, assertAddress } from './address-header.js';
import { encodeBody } from './body-encoding.js';
import { boundaryOf } from './boundary.js';
import { dateHeader } from './date-header.js';
import { CRLF, header } from './header.js';

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
};

/**
 * Builds an email's message (RFC 5322 and 2045): 7-bit ASCII, in lines that end with CRLF and have at most 998
 * characters. The same parts always produce the same bytes.
 *
 * This is the worker's busiest function, so it processes bodies as whole buffers. Nodemailer would take about ten
 * times as long to build the message.
 * @throws Error for parts that would inject a header or an address; the API has already refused those
 */
export function buildMessage(parts: MessageParts): Buffer {
  const bodies = [
    { type: 'text/plain', content: parts.text },
    { type: 'text/html', content: parts.html },
  ].filter((body): body is Body => body.content !== null);
  const [first, second] = bodies;
  if (first === undefined) throw new Error('A message has text, html or both');
  const head = headersOf(parts);
  return second === undefined ? singlePart(head, first) : alternatives(head, parts.messageId, [first, second]);
}

type Body = { readonly type: string; readonly content: string };

function headersOf(parts: MessageParts): string {
  assertAddress('Message-ID', parts.messageId);
  return (
    addressHeader('From', [parts.from]) +
    addressHeader('To', parts.to) +
    addressHeader('Cc', parts.cc) +
    addressHeader('Reply-To', parts.replyTo) +
    header('Subject', parts.subject) +
    dateHeader(parts.date) +
    // Never folded, because message ids are compared and searched for.
    `Message-ID: <${parts.messageId}>${CRLF}` +
    header('X-Email-ID', parts.emailId) +
    parts.headers.map(customHeader).join('') +
    `MIME-Version: 1.0${CRLF}`
  );
}

function customHeader([name, value]: readonly [string, string]): string {
  const fault = headerFault(name, value);
  if (fault !== null) throw new Error(`The header ${JSON.stringify(name)} ${fault}`);
  return header(name, value);
}

function singlePart(head: string, { type, content }: Body): Buffer {
  const { encoding, bytes } = encodeBody(content, { endsMessage: true });
  return Buffer.concat([Buffer.from(head + partHeaders(type, encoding), 'latin1'), bytes]);
}

/** Plain text comes first, because mail clients show the last part they can display (RFC 2046, 5.1.4). */
function alternatives(head: string, messageId: string, bodies: readonly Body[]): Buffer {
  const parts = bodies.map(({ type, content }) => ({ type, ...encodeBody(content, { endsMessage: false }) }));
  const boundary = boundaryOf(
    messageId,
    parts.map(({ bytes }) => bytes),
  );
  const pieces = parts.flatMap(({ type, encoding, bytes }) => [
    Buffer.from(`${CRLF}--${boundary}${CRLF}${partHeaders(type, encoding)}`, 'latin1'),
    bytes,
  ]);
  return Buffer.concat([
    Buffer.from(`${head}Content-Type: multipart/alternative; boundary="${boundary}"${CRLF}`, 'latin1'),
    ...pieces,
    Buffer.from(`${CRLF}--${boundary}--${CRLF}`, 'latin1'),
  ]);
}

/** Includes the blank line after the headers. */
function partHeaders(type: string, encoding: string): string {
  return `Content-Type: ${type}; charset=utf-8${CRLF}Content-Transfer-Encoding: ${encoding}${CRLF}${CRLF}`;
}
