import { invalid, limits } from '@posthorn/domain';
import { formatCount } from '../format-count.js';

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [COMMA, COLON, BRACKET, BRACE] = [0x2c, 0x3a, 0x5b, 0x7b];

/** By how much a byte outside of strings changes the depth. */
const step = new Int8Array(256);
for (const opening of [BRACKET, BRACE]) step.set([1, 0, -1], opening);

/** How often each byte was seen; made once, for it costs more than to clear it. */
const counts = new Uint32Array(256);

/**
 * Looks over the bytes of a body before they are parsed: a few megabytes of brackets would hold the
 * process for seconds. Counts too little where the text is no JSON, which the parser then says.
 * @param text the bytes as Latin-1: what counts is ASCII, which no other character holds a byte of in
 *   UTF-8, and strings are searched faster than buffers
 * @returns how many members (`"name": value`) all its objects have together
 * @throws Refusal validation_failed for what is nested too deep or holds too many values
 */
export function measureJson(text: string): number {
  const { max } = limits.jsonNodes;
  counts.fill(0);
  let [depth, deepest] = [0, 0];
  for (let index = 0; index < text.length; index += 1) {
    const byte = text.charCodeAt(index);
    if (byte === QUOTE) index = endOfString(text, index);
    counts[byte] = (counts[byte] as number) + 1;
    depth += step[byte] as number;
    if (depth > deepest) deepest = depth;
  }
  const count = (byte: number) => counts[byte] as number;
  if (deepest > limits.jsonDepth.max)
    throw refuse(`is nested ${formatCount(deepest)} levels deep; the limit is ${limits.jsonDepth.max}`);
  if (count(COMMA) >= max || count(BRACKET) + count(BRACE) > max)
    throw refuse(`has too many values; the limit is ${formatCount(max)}`);
  return count(COLON);
}

/** @returns the index of the closing quote, or of the end */
function endOfString(text: string, opening: number): number {
  let closing = opening;
  do closing = text.indexOf('"', closing + 1);
  while (closing !== -1 && isEscaped(text, closing));
  return closing === -1 ? text.length : closing;
}

function isEscaped(text: string, index: number): boolean {
  let start = index;
  while (text.charCodeAt(start - 1) === BACKSLASH) start -= 1;
  return (index - start) % 2 === 1;
}

function refuse(message: string) {
  return invalid({ field: '', message });
}
