import { endOfString } from './end-of-string.js';
import { JsonError } from './json-error.js';
import type { JsonLimits } from './json-limits.js';

const QUOTE = 0x22;
const [COMMA, COLON, BRACKET, BRACE] = [0x2c, 0x3a, 0x5b, 0x7b];

/**
 * How much a byte outside strings changes the nesting depth. In ASCII, the code of each closing bracket is two higher
 * than the code of its opening bracket.
 */
const depthChange = new Int8Array(256);
for (const opening of [BRACKET, BRACE]) depthChange.set([1, 0, -1], opening);

/** How often each byte was seen. Shared, because allocating it takes longer than clearing it. */
const counts = new Uint32Array(256);

/**
 * Checks the size of a body before it is parsed, because parsing a few megabytes of brackets would block the process
 * for seconds. The counts are only exact for valid JSON; the parser refuses anything else.
 * @param text the bytes of the body as Latin-1. Searching a string is faster than searching a buffer, and all counted
 *   characters are ASCII, whose bytes do not occur inside other UTF-8 characters
 * @returns the number of fields (`"name": value`) in all objects
 * @throws JsonError if the body is nested too deeply, or has too many values or too many characters outside its strings
 */
export function measureJson(text: string, { maxDepth, maxValues, maxCharactersOutsideStrings }: JsonLimits): number {
  counts.fill(0);
  let [depth, deepest, outside] = [0, 0, 0];
  for (let index = 0; index < text.length && outside <= maxCharactersOutsideStrings; index += 1) {
    const byte = text.charCodeAt(index);
    if (byte === QUOTE) index = endOfString(text, index);
    counts[byte] = (counts[byte] as number) + 1;
    depth += depthChange[byte] as number;
    if (depth > deepest) deepest = depth;
    outside += 1;
  }
  const count = (byte: number) => counts[byte] as number;
  if (deepest > maxDepth) throw new JsonError({ kind: 'too_deep', levels: deepest });
  if (count(COMMA) >= maxValues || count(BRACKET) + count(BRACE) > maxValues)
    throw new JsonError({ kind: 'too_many_values' });
  if (outside > maxCharactersOutsideStrings) throw new JsonError({ kind: 'too_many_characters_outside_strings' });
  return count(COLON);
}
