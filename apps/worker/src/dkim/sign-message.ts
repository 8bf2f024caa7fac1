import { hash, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { SigningKey } from '@posthorn/domain';
import { fold } from '../message/header.js';
import { relaxedBody } from './relaxed-body.js';
import { relaxedHeader } from './relaxed-header.js';
import { type SignedHeader, signedHeaders } from './signed-headers.js';

const HEADER = 'DKIM-Signature';

/** So that each piece fills a line of its own. */
const PIECE = /.{1,72}/g;

/** With a callback the thread pool signs: the longest piece of work on an email leaves the event loop free. */
const signAside = promisify<string, Buffer, KeyObject, Buffer>(sign);

/**
 * The message with a DKIM-Signature (RFC 6376) in front: rsa-sha256, relaxed/relaxed, over all of the
 * body. There is no t=: the signed Date tells the time, and so the same message and key make the same
 * bytes on every attempt.
 * @param message header fields, a blank line and a body, in lines that end with CRLF, as they will be sent
 * @throws Error for a key that is not RSA, or a message without exactly one From
 */
export async function signMessage(message: Buffer, { domain, selector, privateKey }: SigningKey): Promise<Buffer> {
  // Another kind of key would sign just as well, and no receiver could verify it as rsa-sha256.
  if (privateKey.asymmetricKeyType !== 'rsa') throw new Error('The signing key is not an RSA key');
  const { fields, body } = split(message);
  const headers = signedHeaders(fields);
  const words = [
    ...['v=1;', 'a=rsa-sha256;', 'c=relaxed/relaxed;', `d=${domain};`, `s=${selector};`],
    ...namesOf(headers),
    `bh=${hash('sha256', relaxedBody(body), 'base64')};`,
  ];
  const signed = [
    ...headers.flatMap((header) => header.fields).map((field) => `${relaxedHeader(field)}\r\n`),
    relaxedHeader(`${HEADER}:${words.join(' ')} b=`),
  ];
  const signature = await signAside('sha256', Buffer.from(signed.join(''), 'latin1'), privateKey);
  const pieces = `b=${signature.toString('base64')}`.match(PIECE) ?? [];
  return Buffer.concat([Buffer.from(fold(HEADER, [...words, ...pieces]), 'latin1'), message]);
}

/** Header fields with their folds, and the body. Latin-1 keeps every byte as it is. */
function split(message: Buffer): { fields: string[]; body: Buffer } {
  const end = message.indexOf('\r\n\r\n');
  if (end === -1) throw new Error('A message to be signed has a blank line after its headers');
  return { fields: message.toString('latin1', 0, end).split(/\r\n(?![ \t])/), body: message.subarray(end + 4) };
}

/** h=, where blanks may stand around the colons (RFC 6376, 3.5); folded between different names. */
function namesOf(headers: readonly SignedHeader[]): string[] {
  const names = headers.map(({ name, fields }) => Array.from({ length: fields.length + 1 }, () => name).join(':'));
  return names.map((same, index) => {
    const end = index === names.length - 1 ? ';' : ':';
    return `${index === 0 ? 'h=' : ''}${same}${end}`;
  });
}
