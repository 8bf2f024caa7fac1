import {
  BASE64_BYTES_PER_LINE,
  BASE64_LINE_CHARACTERS,
  isFromLine,
  MIN_BYTES_PER_SPECIAL_BYTE,
} from './body-encoding.js';

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

/** The most bytes that a text can take up in a message, in the encoding that `encodeBody` chooses for it. */
export function measureEncodedText({ bytes, special, escaped, uncertain }: TextMeasure): number {
  const base64 = measureBase64(bytes);
  if ((special - uncertain) * MIN_BYTES_PER_SPECIAL_BYTE > bytes) return base64;
  const characters = bytes + 2 * escaped;
  const quotedPrintable = characters + SOFT_BREAK_BYTES * (Math.ceil(characters / MIN_BROKEN_LINE_CHARACTERS) + 1);
  const isCertain = special * MIN_BYTES_PER_SPECIAL_BYTE <= bytes - uncertain;
  return isCertain ? quotedPrintable : Math.max(quotedPrintable, base64);
}

/** How many bytes an attachment takes up in a message, without its headers. */
export function measureBase64(bytes: number): number {
  const rest = bytes % BASE64_BYTES_PER_LINE;
  const wholeLines = Math.floor(bytes / BASE64_BYTES_PER_LINE) * (BASE64_LINE_CHARACTERS + 2);
  return wholeLines + (rest > 0 ? Math.ceil(rest / 3) * 4 + 2 : 0);
}
