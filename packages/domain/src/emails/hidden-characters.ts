/**
 * Characters that cannot be seen: controls, formats (zero-width, soft hyphen, bidirectional), line
 * separators, halves of a surrogate pair, and whatever else Unicode says may be ignored on display.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

export function holdsHidden(text: string): boolean {
  return HIDDEN.test(text);
}
