import { withoutHiddenCharacters } from '@posthorn/platform/values';

/** Long enough for nearly every name and address, but too short for a message of its own. */
const MAX_QUOTED_CHARACTERS = 60;

/**
 * What makes mail programs turn text into a link: dots, slashes, colons and @ inside a word. The
 * ideographic full stop also separates the labels of a domain (RFC 3490, 3.1).
 */
const LINKING = /(?<=\S)[./\\:@\u3002]+(?=\S)/g;

const QUOTATION_MARKS = /["\u00ab\u00bb\u201c-\u201f\u2039\u203a]/g;

/** An address that no mail program can mistake for anything else. */
const PLAIN_ADDRESS = /^(?!.*www\.)[\w+-]+(\.[\w+-]+)*@[\w.-]+$/i;

/**
 * Quotes a name that a user chose, for the service's own mail. The result is short, on one line, and contains no links.
 */
export function quoteName(name: string): string {
  // NFKC turns full-width and other look-alike dots into ordinary dots.
  const line = withoutHiddenCharacters(name.normalize('NFKC')).replaceAll(/\s+/g, ' ').trim();
  const text = line.replaceAll(LINKING, ' ').replaceAll(QUOTATION_MARKS, "'");
  return `\u201c${shorten(text)}\u201d`;
}

/**
 * Quotes a user's address in the same way, but keeps a short, plain one as it is. Mail programs may turn it into a
 * link, but only to that address.
 */
export function quoteAddress(address: string): string {
  return PLAIN_ADDRESS.test(address) && address.length <= MAX_QUOTED_CHARACTERS
    ? `\u201c${address}\u201d`
    : quoteName(address);
}

/** Cuts between characters, never inside one that JavaScript stores as two code units. */
function shorten(text: string): string {
  const characters = Array.from(text);
  return characters.length > MAX_QUOTED_CHARACTERS
    ? `${characters.slice(0, MAX_QUOTED_CHARACTERS - 1).join('')}\u2026`
    : text;
}
