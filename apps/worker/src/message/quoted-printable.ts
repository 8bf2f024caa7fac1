const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const EQUALS = 0x3d;

/** RFC 2045, 6.7: lines of at most 76 characters, the last of which may be the `=` of a soft line break. */
const MAX_LINE_CHARACTERS = 75;

const HEX = Buffer.from('0123456789ABCDEF');

/** How many characters a byte takes: printable ASCII but for `=`, and blanks, stand for themselves. */
const widths = Uint8Array.from({ length: 256 }, (_, byte) =>
  (byte >= 0x20 && byte <= 0x7e && byte !== EQUALS) || byte === 0x09 ? 1 : 3,
);

/**
 * Text with CRLF line ends in the quoted-printable encoding (RFC 2045, 6.7). What it holds beside
 * printable ASCII, blanks and line ends is escaped: a CR or LF alone, and blanks at the end of a line, too.
 */
export function quotedPrintable(bytes: Buffer): Buffer {
  const encoded = Buffer.allocUnsafe(worstCase(bytes.length));
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

/** Whether a line or the text ends here: a blank in front of it might be stripped on the way. */
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

/** Every byte escaped, and a soft line break after every 25 of them. */
function worstCase(length: number): number {
  return 3 * (length + Math.ceil(length / 25));
}
