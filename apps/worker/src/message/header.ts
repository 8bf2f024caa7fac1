import { encodedWords } from './encoded-word.js';

export const CRLF = '\r\n';

/** What a line should not exceed: RFC 2047, 2 for lines with encoded-words; RFC 5322, 2.1.1 allows two more. */
export const LINE = 76;

/** What no line may ever exceed: RFC 5322, 2.1.1 */
const HARD_LINE = 998;

/** Words of printable ASCII with spaces between them, none at either end where they would be lost. */
const PLAIN = /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/;

/**
 * One header of unstructured text, folded, with the CRLF that ends it. Text that is not plain ASCII
 * is written in encoded-words, so a parser reads back exactly what was given.
 * @throws Error for a value that would end the line
 */
export function header(name: string, value: string): string {
  if (value === '') return `${name}:${CRLF}`;
  assertOneLine(name, value);
  const words = PLAIN.test(value) && !looksEncoded(value) ? value.split(/(?<=[^ ]) /) : null;
  if (words?.every((word) => word.length < HARD_LINE)) return fold(name, words);
  return fold(name, encodedWords(value, LINE - name.length - 2));
}

/**
 * Joins words by spaces into lines of at most 76 characters, where the words allow it. A word keeps
 * the spaces it begins with, so no line is ever blank.
 */
export function fold(name: string, words: readonly string[]): string {
  const start = `${name}:`;
  let line = start;
  let folded = '';
  for (const word of words) {
    const length = line.length + 1 + word.length;
    // Leaving the name alone on its line only helps a word that is short enough for the next one.
    if (length > LINE && (line !== start || word.length < LINE || length > HARD_LINE)) {
      folded += line + CRLF;
      line = '';
    }
    line += ` ${word}`;
  }
  return folded + line + CRLF;
}

/** Something that a reader would decode although nobody encoded it. */
export function looksEncoded(text: string): boolean {
  return text.includes('=?');
}

/** The last line of defence against a second header, or the end of them all, inside of a value. */
export function assertOneLine(name: string, text: string): void {
  if (/[\r\n\0]/.test(text)) throw new Error(`${name} must not hold CR, LF or NUL`);
}
