const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** After an escaped quote, this many characters are read one by one, because more escaped quotes usually follow. */
const READ_ONE_BY_ONE = 512;

/**
 * Finds the end of a string in JSON. Searching for the next quote is fast, but not if nearly all quotes are escaped.
 * @param opening the index of the opening quote
 * @returns the index of the closing quote, or the length of the text if there is none
 */
export function endOfString(text: string, opening: number): number {
  for (let at = opening + 1; at < text.length; ) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    if (!isEscaped(text, quote)) return quote;
    at = skipOneByOne(text, quote + 1);
    if (text.charCodeAt(at) === QUOTE) return at;
  }
  return text.length;
}

/** @returns the index of the next quote that is not escaped, or the index from which to continue the search */
function skipOneByOne(text: string, start: number): number {
  const limit = Math.min(start + READ_ONE_BY_ONE, text.length);
  let at = start;
  for (; at < limit; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return at;
}

function isEscaped(text: string, index: number): boolean {
  let start = index;
  while (text.charCodeAt(start - 1) === BACKSLASH) start -= 1;
  return (index - start) % 2 === 1;
}
