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
export function encodedWords(text: string, room: number): string[] {
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
