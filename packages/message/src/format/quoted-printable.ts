const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const EQUALS = 0x3d;

/** A line has at most 76 characters, including the `=` of a soft line break (RFC 2045, 6.7). */
const MAX_LINE_CHARACTERS = 75;

const HEX = Buffer.from('0123456789ABCDEF');

/** Encoded length of each byte. Tabs, spaces and printable ASCII except `=` are not escaped. */
const widths = Uint8Array.from({ length: 256 }, (_, byte) =>
  (byte >= 0x20 && byte <= 0x7e && byte !== EQUALS) || byte === 0x09 ? 1 : 3,
);

/**
 * Encodes text with CRLF line ends as quoted-printable (RFC 2045, 6.7). Everything except printable ASCII, blanks and
 * line ends is escaped, and so are `=`, a bare CR or LF, and blanks at line ends.
 */
export function quotedPrintable(bytes: Buffer): Buffer {
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
    const width = byte <= SPACE && endsLine(bytes, at + 1) ? 3 : (widths[byte] as number);
    if (column + width > MAX_LINE_CHARACTERS) {
      end = softBreak(encoded, end);
      column = 0;
    }
    if (width === 1) encoded[end] = byte;
    else escapeByte(encoded, end, byte);
    end += width;
    column += width;
  }
  return encoded.subarray(0, end);
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
