import { type Address, type HeaderPart, parseStructured, toWireAddress } from '@posthorn/domain/format';

export const CRLF = '\r\n';

/** The limit for lines with encoded-words (RFC 2047, 2). Other lines should have at most 78 (RFC 5322, 2.1.1). */
const PREFERRED_LINE_CHARACTERS = 76;

/** The hard limit of RFC 5322, 2.1.1. */
const MAX_LINE_CHARACTERS = 998;

/** Words of printable ASCII with spaces between them. Spaces at either end would be lost. */
const PLAIN = /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/;

/**
 * An unstructured text header, folded, with its final CRLF. Text that is not plain ASCII is written as
 * encoded-words, so that a parser returns exactly the given value.
 * @throws Error for a value with a line break or NUL
 */
export function formatHeader(name: string, value: string): string {
  if (value === '') return `${name}:${CRLF}`;
  assertOneLine(name, value);
  const words = PLAIN.test(value) && !looksEncoded(value) ? value.split(/(?<=[^ ]) /) : null;
  if (words?.every((word) => word.length < MAX_LINE_CHARACTERS)) return fold(name, words);
  return fold(name, toEncodedWords(value, PREFERRED_LINE_CHARACTERS - name.length - 2));
}

/**
 * Joins words with spaces into lines of at most 76 characters, unless a word is longer. A run of spaces stays attached
 * to the word after it, so no line consists only of spaces.
 */
export function fold(name: string, words: readonly string[]): string {
  const start = `${name}:`;
  let line = start;
  let folded = '';
  for (const word of words) {
    const length = line.length + 1 + word.length;
    const isTooLong = length > PREFERRED_LINE_CHARACTERS;
    // A line break right after the name helps only if the word then fits on the next line.
    if (isTooLong && (line !== start || word.length < PREFERRED_LINE_CHARACTERS || length > MAX_LINE_CHARACTERS)) {
      folded += line + CRLF;
      line = '';
    }
    line += ` ${word}`;
  }
  return folded + line + CRLF;
}

/**
 * A header that a client has set. In a field with a syntax of its own, only phrases and comments are encoded (RFC
 * 2047, 5).
 * @throws Error like `formatHeader`
 */
export function formatCustomHeader(name: string, value: string): string {
  const structured = parseStructured(name, value);
  if (structured === null) return formatHeader(name, value);
  assertOneLine(name, value);
  return fold(
    name,
    structured.flatMap((part) => partWords(name, part)),
  );
}

function partWords(header: string, { kind, text }: HeaderPart): string[] {
  if (kind === 'plain') return text.split(/(?<=[^ ]) /);
  if (kind === 'phrase') return nameWords(header, text);
  // Room for the parentheses, which belong to the first and the last word.
  const words = toEncodedWords(text, PREFERRED_LINE_CHARACTERS - header.length - 4);
  return `(${words.join(' ')})`.split(' ');
}

/** Whether a mail client would try to decode the text even though it is not encoded. */
function looksEncoded(text: string): boolean {
  return text.includes('=?');
}

/** Last defence against header injection: a line break in a value would start another header or the body. */
export function assertOneLine(name: string, text: string): void {
  if (/[\r\n\0]/.test(text)) throw new Error(`${name} must not contain CR, LF or NUL`);
}

/** RFC 2047, 2 */
const MAX_WORD_CHARACTERS = 75;

const OVERHEAD = '=?utf-8?Q??='.length;

/** Enough for one four-byte character in either encoding. */
const MIN_WORD_CHARACTERS = OVERHEAD + 12;

/** The Q encoding of each byte. The unescaped characters are those allowed in names (RFC 2047, 5). */
const Q = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (character === ' ') return '_';
  return /[A-Za-z0-9!*+/-]/.test(character) ? character : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
});

/**
 * Writes text as encoded-words (RFC 2047) in UTF-8, in the shorter of the two encodings. No character is split, because
 * mail clients may decode each word separately.
 * @param room how many characters fit into the first word, which shares its line with the header's name
 */
export function toEncodedWords(text: string, room: number): string[] {
  const bytes = Buffer.from(text);
  const asQ = qLength(bytes) < base64Length(bytes.length);
  const words: string[] = [];
  let start = 0;
  let payload = (room < MIN_WORD_CHARACTERS ? MAX_WORD_CHARACTERS : Math.min(room, MAX_WORD_CHARACTERS)) - OVERHEAD;
  while (start < bytes.length) {
    const end = characterStart(bytes, asQ ? endOfQ(bytes, start, payload) : start + Math.floor(payload / 4) * 3);
    words.push(asQ ? `=?utf-8?Q?${q(bytes, start, end)}?=` : `=?utf-8?B?${bytes.toString('base64', start, end)}?=`);
    start = end;
    payload = MAX_WORD_CHARACTERS - OVERHEAD;
  }
  return words;
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

function qLength(bytes: Buffer): number {
  return q(bytes, 0, bytes.length).length;
}

function q(bytes: Buffer, start: number, end: number): string {
  let encoded = '';
  for (let at = start; at < end; at += 1) encoded += Q[bytes[at] as number];
  return encoded;
}

/** The index at which a word must end if it has room for `payload` characters of Q-encoded text. */
function endOfQ(bytes: Buffer, start: number, payload: number): number {
  let room = payload;
  for (let at = start; at < bytes.length; at += 1) {
    room -= (Q[bytes[at] as number] as string).length;
    if (room < 0) return at;
  }
  return bytes.length;
}

/** The index of the first byte of the character at `at`. Continuation bytes are 10xxxxxx. */
function characterStart(bytes: Buffer, at: number): number {
  let start = Math.min(at, bytes.length);
  while (start < bytes.length && ((bytes[start] as number) & 0xc0) === 0x80) start -= 1;
  return start;
}

/** Only the characters of a plain ASCII address: no space, bracket, comma, quote or line break. */
const ADDRESS = /^[\w!#$%&'*+/=?^`{|}~.-]+@[A-Za-z0-9.-]+$/;

/** The start of an encoded-word. RFC 2047 (section 5) forbids it in an address, but some mail clients decode it. */
const ENCODED_WORD = /=\?[^?]*\?[bq]\?/i;

/**
 * Atoms need no quotes (RFC 5322, 3.2.3). Sendmail quotes a phrase with an apostrophe anyway (MustQuoteChars), which
 * would break the signature.
 */
const ATOMS = /^[\w!#$%&*+/=?^`{|}~-]+(?: [\w!#$%&*+/=?^`{|}~-]+)*$/;

/** Printable ASCII with single spaces. Not every mail client keeps several spaces in a row. */
const QUOTABLE = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

/**
 * An address header, folded between addresses, with its final CRLF. Empty if there are no addresses.
 * @throws Error for an address or name that could be parsed as more than one
 */
export function formatAddressHeader(name: string, addresses: readonly Address[]): string {
  if (addresses.length === 0) return '';
  const last = addresses.length - 1;
  return fold(
    name,
    addresses.flatMap((address, index) => mailbox(name, address, index === last ? '' : ',')),
  );
}

/** The words of `Name <address>`. If they all fit on one line, they are joined into one word. */
function mailbox(header: string, { name, address }: Address, comma: string): string[] {
  assertAddress(header, address);
  const written = toWireAddress(address);
  if (name === null || name === '') return [written + comma];
  const words = [...nameWords(header, name), `<${written}>${comma}`];
  const whole = words.join(' ');
  return whole.length < PREFERRED_LINE_CHARACTERS ? [whole] : words;
}

/** A name as atoms, in quotes or as encoded-words: the simplest form that keeps the name unchanged. */
function nameWords(header: string, name: string): string[] {
  assertOneLine(header, name);
  const plain = ATOMS.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`;
  if (QUOTABLE.test(name) && !looksEncoded(name) && plain.length < PREFERRED_LINE_CHARACTERS) return [plain];
  return toEncodedWords(name, PREFERRED_LINE_CHARACTERS - header.length - 2);
}

export function assertAddress(header: string, address: string): void {
  if (!ADDRESS.test(address) || ENCODED_WORD.test(address)) {
    throw new Error(`${header} must contain plain ASCII addresses`);
  }
}

/** Small enough for each piece to fit, with its name, on a line of 76 characters. */
const MAX_PIECE_CHARACTERS = 50;
/** Many mail programs do not join pieces, so ASCII is in one even if its line is longer than it should be. */
const MAX_QUOTED_CHARACTERS = 255;

const PRINTABLE = /^[\x20-\x7e]+$/;

/** What RFC 5987 (3.2.1) allows unescaped. RFC 2231 would also allow characters that some mail clients misread. */
const UNESCAPED = /[A-Za-z0-9!#$&+.^_`|~-]/;

/**
 * A parameter of a header, as words between which a line may be folded: quoted if it is ASCII, else
 * percent-encoded UTF-8, in numbered pieces if it is long (RFC 2231, 3 and 4). No piece ends inside a character.
 */
export function formatParameter(name: string, value: string): string[] {
  if (value.length <= MAX_QUOTED_CHARACTERS && PRINTABLE.test(value))
    return [`${name}="${value.replace(/["\\]/g, '\\$&')}"`];
  const pieces = toPieces(Array.from(value, escaped));
  const [only, ...others] = pieces;
  if (others.length === 0) return [`${name}*=utf-8''${only}`];
  return pieces.map((piece, index) => {
    const start = index === 0 ? "utf-8''" : '';
    return `${name}*${index}*=${start}${piece}${index < others.length ? ';' : ''}`;
  });
}

function escaped(character: string): string {
  if (UNESCAPED.test(character) && character.length === 1) return character;
  return Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

function toPieces(characters: readonly string[]): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const character of characters) {
    if (piece.length + character.length > MAX_PIECE_CHARACTERS) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece];
}

/** RFC 5322, 3.3, in UTC: `Date: Sat, 21 Nov 2026 08:00:00 +0000`. @throws RangeError for an invalid date */
export function formatDateHeader(date: Date): string {
  if (Number.isNaN(date.getTime())) throw new RangeError('Date must be a valid date');
  // ECMA-262 (section 21.4.4.43) specifies this format, except that it uses the obsolete zone name GMT.
  return `Date: ${date.toUTCString().replace('GMT', '+0000')}${CRLF}`;
}
