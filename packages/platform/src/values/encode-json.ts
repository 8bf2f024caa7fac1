import { randomUUID } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** Encoding a piece of this size takes about a millisecond if every character has to be escaped. */
const MAX_PIECE_CHARACTERS = 64_000;

/** Shorter strings are encoded with the rest of the value. A value may contain a hundred of them. */
const MIN_PIECE_CHARACTERS = 2_000;

/** Larger values should be encoded with `encodeJson`. JSON.stringify is faster for smaller ones. */
export const LARGE_JSON_CHARACTERS = 256_000;

/** Whether the strings in a value are so long that it should be encoded with `encodeJson`. */
export function isLargeJson(value: unknown): boolean {
  return textLength(value, LARGE_JSON_CHARACTERS) > LARGE_JSON_CHARACTERS;
}

/**
 * Returns the same bytes as JSON.stringify, in pieces, and lets other work run in between. Escaping 4 MB of text in one
 * go would keep every other request waiting for tens of milliseconds.
 */
export async function encodeJson(value: unknown): Promise<Buffer[]> {
  const mark = randomUUID();
  const texts: string[] = [];
  const skeleton = JSON.stringify(value, (_name, item) => {
    if (typeof item !== 'string' || item.length <= MIN_PIECE_CHARACTERS) return item;
    texts.push(item);
    return mark;
  });
  const [first = '', ...rest] = skeleton.split(mark);
  const encoded = [Buffer.from(first)];
  let charactersInTurn = 0;
  for (const [index, text] of texts.entries()) {
    for (const piece of piecesOf(text)) {
      if (charactersInTurn + piece.length > MAX_PIECE_CHARACTERS) {
        await yieldToEventLoop();
        charactersInTurn = 0;
      }
      encoded.push(Buffer.from(JSON.stringify(piece).slice(1, -1)));
      charactersInTurn += piece.length;
    }
    encoded.push(Buffer.from(rest[index] ?? ''));
  }
  return encoded;
}

/** Keeps surrogate pairs together, because JSON.stringify would escape a lone half. */
function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = Math.min(start + MAX_PIECE_CHARACTERS, text.length);
    const next = isHighSurrogate(text.charCodeAt(end - 1)) && end < text.length ? end + 1 : end;
    yield text.slice(start, next);
    start = next;
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** The number of characters in all strings of a value. Stops counting once the number exceeds `enough`. */
function textLength(value: unknown, enough: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let length = 0;
  for (const item of Object.values(value)) {
    length += textLength(item, enough);
    if (length > enough) break;
  }
  return length;
}
