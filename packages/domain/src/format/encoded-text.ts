/**
 * What determines the size of html or text in a message. Every number is an upper bound, and `uncertain` says by
 * how much it may be too high, because a text that is measured in pieces may have a CRLF that spans two pieces.
 */
export type TextMeasure = {
  /** In UTF-8, with CRLF line ends. */
  readonly bytes: number;
  /** Bytes that not every relay passes on unchanged. */
  readonly special: number;
  /** Bytes that quoted-printable escapes: the special ones, `=`, blanks at line ends, and `From ` at line starts. */
  readonly escaped: number;
  readonly uncertain: number;
};

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const EQUALS = 0x3d;
const TILDE = 0x7e;

/** The message package chooses base64 if more than one byte in three is special (body-encoding.ts). */
const MIN_BYTES_PER_SPECIAL_BYTE = 3;

/** A line of quoted-printable is broken only if it has at least this many characters. */
const MIN_BROKEN_LINE_CHARACTERS = 73;
/** `=` and CRLF */
const SOFT_BREAK_BYTES = 3;

/** Takes a few milliseconds per megabyte. */
export function measureText(text: string): TextMeasure {
  const utf8 = Buffer.from(text);
  const startsWithLf = utf8[0] === LF;
  let bareLfs = 0;
  let special = 0;
  let escaped = 0;
  for (let at = 0; at < utf8.length; at += 1) {
    const byte = utf8[at] as number;
    if (byte === LF) bareLfs += Number(utf8[at - 1] !== CR);
    else if (byte === CR) special += Number(utf8[at + 1] !== LF);
    else if (isBlank(byte)) escaped += Number(endsLine(utf8, at + 1));
    else if (isUnsafe(byte)) special += 1;
    else if (byte === EQUALS || isFromLine(utf8, at)) escaped += 1;
  }
  const uncertain = Number(startsWithLf) + Number(utf8.at(-1) === CR);
  return { bytes: utf8.length + bareLfs, special, escaped: escaped + special, uncertain };
}

const FROM_LINE = Buffer.from('From ');

/**
 * Whether the bytes at this index are `From `. Mailbox files begin a message with it, and software that writes them
 * changes a line that begins so (RFC 2049, 3).
 */
export function isFromLine(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === FROM_LINE[0] && FROM_LINE.every((byte, n) => bytes[at + n] === byte);
}

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB;
}

function isUnsafe(byte: number): boolean {
  return byte < SPACE || byte > TILDE;
}

function endsLine(utf8: Buffer, at: number): boolean {
  return at >= utf8.length || utf8[at] === CR || utf8[at] === LF;
}

/** @param times how many times a text with the measure `more` is added */
export function addMeasure(sum: TextMeasure, more: TextMeasure, times = 1): TextMeasure {
  return {
    bytes: sum.bytes + times * more.bytes,
    special: sum.special + times * more.special,
    escaped: sum.escaped + times * more.escaped,
    uncertain: sum.uncertain + times * more.uncertain,
  };
}

/** The most bytes that a text can take up in a message, in the encoding that the message package chooses for it. */
export function measureEncodedText({ bytes, special, escaped, uncertain }: TextMeasure): number {
  const base64 = measureBase64(bytes);
  if ((special - uncertain) * MIN_BYTES_PER_SPECIAL_BYTE > bytes) return base64;
  const characters = bytes + 2 * escaped;
  const quotedPrintable = characters + SOFT_BREAK_BYTES * (Math.ceil(characters / MIN_BROKEN_LINE_CHARACTERS) + 1);
  const isCertain = special * MIN_BYTES_PER_SPECIAL_BYTE <= bytes - uncertain;
  return isCertain ? quotedPrintable : Math.max(quotedPrintable, base64);
}

/** 57 bytes become a line of 76 characters (RFC 2045, 6.8), and CRLF ends it. */
const BYTES_PER_LINE = 57;
const CHARACTERS_PER_LINE = 76;

/**
 * Base64 in lines of 76 characters, each with CRLF. Concatenating strings is much faster than a regular expression or
 * copying line by line.
 * @param bytes if more will follow, a multiple of 57 bytes, which fills whole lines
 */
export function encodeBase64Lines(bytes: Buffer): Buffer {
  const text = bytes.toString('base64');
  let lines = '';
  for (let at = 0; at < text.length; at += CHARACTERS_PER_LINE)
    lines += `${text.slice(at, at + CHARACTERS_PER_LINE)}\r\n`;
  return Buffer.from(lines, 'latin1');
}

/** How many bytes an attachment takes up in a message, without its headers. */
export function measureBase64(bytes: number): number {
  const rest = bytes % BYTES_PER_LINE;
  const wholeLines = Math.floor(bytes / BYTES_PER_LINE) * (CHARACTERS_PER_LINE + 2);
  return wholeLines + (rest > 0 ? Math.ceil(rest / 3) * 4 + 2 : 0);
}
