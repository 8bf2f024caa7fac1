import { encodedWords } from './encoded-words.js';

export const CRLF = '\r\n';

/** The limit for lines with encoded-words (RFC 2047, 2). Other lines should have at most 78 (RFC 5322, 2.1.1). */
export const PREFERRED_LINE_CHARACTERS = 76;

/** The hard limit of RFC 5322, 2.1.1. */
const MAX_LINE_CHARACTERS = 998;

/** Words of printable ASCII with spaces between them. Spaces at either end would be lost. */
const PLAIN = /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/;

/**
 * An unstructured text header, folded, with its final CRLF. Text that is not plain ASCII is written as
 * encoded-words, so that a parser returns exactly the given value.
 * @throws Error for a value with a line break or NUL
 */
export function header(name: string, value: string): string {
  if (value === '') return `${name}:${CRLF}`;
  assertOneLine(name, value);
  const words = PLAIN.test(value) && !looksEncoded(value) ? value.split(/(?<=[^ ]) /) : null;
  if (words?.every((word) => word.length < MAX_LINE_CHARACTERS)) return fold(name, words);
  return fold(name, encodedWords(value, PREFERRED_LINE_CHARACTERS - name.length - 2));
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

/** Whether a mail client would try to decode the text even though it is not encoded. */
export function looksEncoded(text: string): boolean {
  return text.includes('=?');
}

/** Last defence against header injection: a line break in a value would start another header or the body. */
export function assertOneLine(name: string, text: string): void {
  if (/[\r\n\0]/.test(text)) throw new Error(`${name} must not contain CR, LF or NUL`);
}
