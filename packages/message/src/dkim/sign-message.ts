import { createHash, hash, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { SigningKey } from '@posthorn/domain/domains';
import { fold } from '../format/header.js';
import type { Message, StreamedMessage } from '../format/message.js';
import { relaxedBody } from './relaxed-body.js';
import { relaxedHeader } from './relaxed-header.js';
import { type SignedHeader, signedHeaders } from './signed-headers.js';

const HEADER = 'DKIM-Signature';

/** The signature is split so that each piece fills one line. */
const SIGNATURE_PIECE = /.{1,72}/g;

/** With a callback, Node signs in its thread pool. On the event loop, signing would block other emails. */
const signInThreadPool = promisify<string, Buffer, KeyObject, Buffer>(sign);

/**
 * Puts a DKIM-Signature (RFC 6376) in front of the message: rsa-sha256, relaxed/relaxed, over the whole body. It has no
 * t= tag, so that every attempt produces the same bytes. The signed Date already contains the time.
 * @param message the final header fields, a blank line and the body, in lines that end with CRLF
 * @throws Error if the key is not an RSA key or the message does not have exactly one From
 */
export async function signMessage(message: Buffer, key: SigningKey): Promise<Buffer>;
export async function signMessage(message: Message, key: SigningKey): Promise<Message>;
export async function signMessage(message: Message, { domain, selector, privateKey }: SigningKey): Promise<Message> {
  // Node would also sign with another kind of key, but no receiver could verify that signature as rsa-sha256.
  if (privateKey.asymmetricKeyType !== 'rsa') throw new Error('The signing key is not an RSA key');
  const first = Buffer.isBuffer(message) ? message : message.pieces[0];
  const { fields, body } = split(first);
  const headers = signedHeaders(fields);
  const tags = [
    ...['v=1;', 'a=rsa-sha256;', 'c=relaxed/relaxed;', `d=${domain};`, `s=${selector};`],
    ...namesOf(headers),
    `bh=${Buffer.isBuffer(message) ? hash('sha256', relaxedBody(body), 'base64') : await hashPieces(body, message)};`,
  ];
  const signed = [
    ...headers.flatMap((header) => header.fields).map((field) => `${relaxedHeader(field)}\r\n`),
    relaxedHeader(`${HEADER}:${tags.join(' ')} b=`),
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
    else sum.update(index === others.length ? relaxedBody(piece) : relaxedPiece(piece));
  }
  return sum.digest('base64');
}

/** The relaxed form drops empty lines only at the end of the body, so a middle piece must not look like the last. */
const NOT_THE_END = Buffer.from('.\r\n');

function relaxedPiece(piece: Buffer): Buffer {
  return relaxedBody(Buffer.concat([piece, NOT_THE_END])).subarray(0, -NOT_THE_END.length);
}

/** Splits a message into header fields, which keep their folds, and body. Latin-1 keeps every byte unchanged. */
function split(message: Buffer): { fields: string[]; body: Buffer } {
  const end = message.indexOf('\r\n\r\n');
  if (end === -1) throw new Error('The message has no blank line after its headers');
  return { fields: message.toString('latin1', 0, end).split(/\r\n(?![ \t])/), body: message.subarray(end + 4) };
}

/** The h= tag, as words that may be on separate lines. Blanks are allowed around the colons (RFC 6376, 3.5). */
function namesOf(headers: readonly SignedHeader[]): string[] {
  const names = headers.map(({ name, fields }) => Array.from({ length: fields.length + 1 }, () => name).join(':'));
  return names.map((same, index) => {
    const end = index === names.length - 1 ? ';' : ':';
    return `${index === 0 ? 'h=' : ''}${same}${end}`;
  });
}
