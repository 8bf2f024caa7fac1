/** Control characters, which include line breaks, and Unicode's line and paragraph separators. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/**
 * Characters that a reader cannot see: controls, formats (zero-width, soft hyphen, bidirectional), line
 * separators, lone surrogates, and everything else that Unicode allows a display to ignore.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Whether a text spans more than one line. In a header, text after a line break would be a second header. */
export function hasControlCharacters(text: string): boolean {
  return CONTROL.test(text);
}

export function hasHiddenCharacters(text: string): boolean {
  return HIDDEN.test(text);
}
