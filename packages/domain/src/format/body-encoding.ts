const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const EQUALS = 0x3d;

/**
 * RFC 5322 (section 2.1.1) recommends at most 78 characters and allows 998. Some relays have lower limits and wrap
 * longer lines, which breaks the text and its DKIM signature. Text with longer lines is therefore encoded, which also
 * shortens its lines.
 */
const MAX_LINE_CHARACTERS = 78;

/**
 * Quoted-printable is used if at most one byte in three must be escaped. It is then up to a quarter longer than base64,
 * but people can read it, and spam filters distrust text in base64.
 */
export const MIN_BYTES_PER_SPECIAL_BYTE = 3;

/** 1 for bytes that every relay passes on unchanged: printable ASCII, TAB, CR and LF. */
const plain = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number((byte >= 0x20 && byte <= 0x7e) || byte === TAB || byte === CR || byte === LF),
);

type EncodedBody = { readonly encoding: '7bit' | 'quoted-printable' | 'base64'; readonly bytes: Buffer };

/**
 * Encodes text as the body of a part, in UTF-8 with CRLF line ends: unchanged if possible, else as quoted-printable
 * or base64. Decoding returns the same text except for line ends.
 * @param endsMessage whether the message ends with this body, which must then end with CRLF. Before a boundary, the
 *   CRLF belongs to the boundary.
 */
export function encodeBody(text: string, { endsMessage }: { endsMessage: boolean }): EncodedBody {
  const bytes = Buffer.from(withCrlf(text));
  const { special, longestLine, hasFromLine } = measure(bytes);
  const endsCorrectly = !endsMessage || bytes.length === 0 || bytes.at(-1) === LF;
  if (special === 0 && longestLine <= MAX_LINE_CHARACTERS && endsCorrectly && !hasFromLine)
    return { encoding: '7bit', bytes };
  if (special * MIN_BYTES_PER_SPECIAL_BYTE <= bytes.length) {
    const encoded = quotedPrintable(bytes);
    return { encoding: 'quoted-printable', bytes: endsCorrectly ? encoded : Buffer.concat([encoded, SOFT_LINE_BREAK]) };
  }
  const lines = encodeBase64Lines(bytes);
  return { encoding: 'base64', bytes: endsMessage ? lines : lines.subarray(0, -2) };
}

/** Most text has CRLF already. Searching for a bare LF is cheaper than always replacing. */
function withCrlf(text: string): string {
  return /(?<!\r)\n/.test(text) ? text.replace(/\r?\n/g, '\r\n') : text;
}

/** RFC 2045, 6.7 (5): the decoder removes it. */
const SOFT_LINE_BREAK = Buffer.from('=\r\n');

/** Counts the bytes that must be encoded, and finds the length of the longest line. */
function measure(bytes: Buffer): { special: number; longestLine: number; hasFromLine: boolean } {
  let special = 0;
  let hasFromLine = isFromLine(bytes, 0);
  let longestLine = 0;
  let lineStart = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === LF) {
      longestLine = Math.max(longestLine, at - 1 - lineStart);
      lineStart = at + 1;
      hasFromLine ||= isFromLine(bytes, lineStart);
    } else if (plain[byte] === 0 || (byte === CR && bytes[at + 1] !== LF)) {
      special += 1;
    }
  }
  return { special, longestLine: Math.max(longestLine, bytes.length - lineStart), hasFromLine };
}

const FROM_LINE = Buffer.from('From ');

/**
 * Whether the bytes at this index are `From `. Mailbox files begin a message with it, and software that writes them
 * changes a line that begins so (RFC 2049, 3).
 */
export function isFromLine(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === FROM_LINE[0] && FROM_LINE.every((byte, n) => bytes[at + n] === byte);
}

/** 57 bytes become a line of 76 characters (RFC 2045, 6.8), and CRLF ends it. */
export const BASE64_BYTES_PER_LINE = 57;
export const BASE64_LINE_CHARACTERS = 76;

/**
 * Base64 in lines of 76 characters, each with CRLF. Concatenating strings is much faster than a regular expression or
 * copying line by line.
 * @param bytes if more will follow, a multiple of 57 bytes, which fills whole lines
 */
export function encodeBase64Lines(bytes: Buffer): Buffer {
  const text = bytes.toString('base64');
  let lines = '';
  for (let at = 0; at < text.length; at += BASE64_LINE_CHARACTERS)
    lines += `${text.slice(at, at + BASE64_LINE_CHARACTERS)}\r\n`;
  return Buffer.from(lines, 'latin1');
}

/** A line has at most 76 characters, including the `=` of a soft line break (RFC 2045, 6.7). */
const MAX_QUOTED_CHARACTERS = 75;

const HEX = Buffer.from('0123456789ABCDEF');

/** Encoded length of each byte. Tabs, spaces and printable ASCII except `=` are not escaped. */
const widths = Uint8Array.from({ length: 256 }, (_, byte) =>
  (byte >= 0x20 && byte <= 0x7e && byte !== EQUALS) || byte === TAB ? 1 : 3,
);

/**
 * Encodes text with CRLF line ends as quoted-printable (RFC 2045, 6.7). Everything except printable ASCII, blanks and
 * line ends is escaped, and so are `=`, a bare CR or LF, blanks at line ends, and the F of a line that begins with
 * `From `.
 */
function quotedPrintable(bytes: Buffer): Buffer {
  const encoded = Buffer.allocUnsafe(maxEncodedLength(bytes.length));
  let end = 0;
  let column = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === CR && bytes[at + 1] === LF) {
      end = lineBreak(encoded, end);
      column = 0;
      at += 1;
      continue;
    }
    let width = widthInLine(bytes, at);
    if (column + width > MAX_QUOTED_CHARACTERS) {
      end = softBreak(encoded, end);
      column = 0;
    }
    if (column === 0 && isFromLine(bytes, at)) width = 3;
    if (width === 1) encoded[end] = byte;
    else escapeByte(encoded, end, byte);
    end += width;
    column += width;
  }
  return encoded.subarray(0, end);
}

function widthInLine(bytes: Buffer, at: number): number {
  const byte = bytes[at] as number;
  return byte <= SPACE && endsLine(bytes, at + 1) ? 3 : (widths[byte] as number);
}

/** Whether a line or the text ends here. A relay might strip a blank at the end of a line. */
function endsLine(bytes: Buffer, at: number): boolean {
  return at === bytes.length || (bytes[at] === CR && bytes[at + 1] === LF);
}

function escapeByte(encoded: Buffer, end: number, byte: number): void {
  encoded[end] = EQUALS;
  encoded[end + 1] = HEX[byte >> 4] as number;
  encoded[end + 2] = HEX[byte & 0x0f] as number;
}

function softBreak(encoded: Buffer, end: number): number {
  encoded[end] = EQUALS;
  return lineBreak(encoded, end + 1);
}

function lineBreak(encoded: Buffer, end: number): number {
  encoded[end] = CR;
  encoded[end + 1] = LF;
  return end + 2;
}

/** The length if every byte is escaped, with a soft line break after every 25 bytes. */
function maxEncodedLength(length: number): number {
  return 3 * (length + Math.ceil(length / 25));
}
