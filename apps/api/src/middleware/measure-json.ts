import { formatCount, invalid, limits } from '@posthorn/domain';

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [COMMA, COLON, BRACKET, BRACE] = [0x2c, 0x3a, 0x5b, 0x7b];

/** How much a byte outside strings changes the nesting depth. */
const depthChange = new Int8Array(256);
for (const opening of [BRACKET, BRACE]) depthChange.set([1, 0, -1], opening);

/** How often each byte was seen. Shared, because allocating it takes longer than clearing it. */
const counts = new Uint32Array(256);

/**
 * Checks the size of a body before it is parsed: parsing a few megabytes of brackets would block the process for
 * seconds. The counts are only exact for valid JSON; the parser refuses the rest.
 * @param text the bytes of the body as Latin-1. Searching a string is faster than searching a buffer, and all counted
 *   characters are ASCII, whose bytes occur in no other UTF-8 character
 * @returns the number of members (`"name": value`) in all objects
 * @throws Refusal validation_failed if the body is nested too deeply or has too many values
 */
export function measureJson(text: string): number {
  const { max } = limits.jsonNodes;
  counts.fill(0);
  let [depth, deepest] = [0, 0];
  for (let index = 0; index < text.length; index += 1) {
    const byte = text.charCodeAt(index);
    if (byte === QUOTE) index = endOfString(text, index);
    counts[byte] = (counts[byte] as number) + 1;
    depth += depthChange[byte] as number;
    if (depth > deepest) deepest = depth;
  }
  const count = (byte: number) => counts[byte] as number;
  if (deepest > limits.jsonDepth.max)
    throw refuse(`is nested ${formatCount(deepest)} levels deep; the limit is ${limits.jsonDepth.max}`);
  if (count(COMMA) >= max || count(BRACKET) + count(BRACE) > max)
    throw refuse(`has too many values; the limit is ${formatCount(max)}`);
  return count(COLON);
}

/** @returns the index of the closing quote, or the length of the text if there is none */
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
