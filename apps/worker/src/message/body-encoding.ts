import { quotedPrintable } from './quoted-printable.js';

const CR = 0x0d;
const LF = 0x0a;

/**
 * RFC 5322, 2.1.1: lines should have at most 78 characters. It allows 998, but relays on the way have
 * had lower limits and wrap what is longer, which breaks the text and its DKIM signature; so longer
 * lines travel in an encoding that makes them short.
 */
const MAX_LINE_CHARACTERS = 78;

/**
 * Where one byte in three is special, quoted-printable is longer than base64 by a quarter. Up to there
 * it is preferred: people can read it, and spam filters suspect text that hides in base64.
 */
const MOSTLY = 3;

/** RFC 2045, 6.8 */
const BASE64_LINE = /.{1,76}/g;

/** Bytes that every relay passes on unchanged: printable ASCII, TAB, CR and LF. */
const plain = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number((byte >= 0x20 && byte <= 0x7e) || byte === 0x09 || byte === CR || byte === LF),
);

export type EncodedBody = { readonly encoding: '7bit' | 'quoted-printable' | 'base64'; readonly bytes: Buffer };

/**
 * The text as the body of a part, in UTF-8 with CRLF line ends: as it is where it may be, else in
 * quoted-printable or base64. A decoder gives back the same text, line ends aside.
 * @param endsMessage the body is the last of its message, which must end with CRLF; in front of a
 *   boundary the CRLF belongs to the boundary instead
 */
export function encodeBody(text: string, { endsMessage }: { endsMessage: boolean }): EncodedBody {
  const bytes = Buffer.from(withCrlf(text));
  const { special, longestLine } = survey(bytes);
  const isClosed = !endsMessage || bytes.length === 0 || bytes.at(-1) === LF;
  if (special === 0 && longestLine <= MAX_LINE_CHARACTERS && isClosed) return { encoding: '7bit', bytes };
  if (special * MOSTLY <= bytes.length) {
    const encoded = quotedPrintable(bytes);
    return { encoding: 'quoted-printable', bytes: isClosed ? encoded : Buffer.concat([encoded, SOFT_END]) };
  }
  return { encoding: 'base64', bytes: base64(bytes, endsMessage) };
}

/** Most text comes with CRLF, and to look for what has not is cheaper than to write it all anew. */
function withCrlf(text: string): string {
  return /(?<!\r)\n/.test(text) ? text.replace(/\r?\n/g, '\r\n') : text;
}

/** A line end that the decoder takes away again. */
const SOFT_END = Buffer.from('=\r\n');

/** How many bytes cannot travel as they are, and how long the longest line is. */
function survey(bytes: Buffer): { special: number; longestLine: number } {
  let special = 0;
  let longestLine = 0;
  let lineStart = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === LF) {
      longestLine = Math.max(longestLine, at - 1 - lineStart);
      lineStart = at + 1;
    } else if (plain[byte] === 0 || (byte === CR && bytes[at + 1] !== LF)) {
      special += 1;
    }
  }
  return { special, longestLine: Math.max(longestLine, bytes.length - lineStart) };
}

function base64(bytes: Buffer, endsMessage: boolean): Buffer {
  const lines = bytes.toString('base64').match(BASE64_LINE) ?? [];
  return Buffer.from(lines.join('\r\n') + (endsMessage ? '\r\n' : ''), 'latin1');
}
