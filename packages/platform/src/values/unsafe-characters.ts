/** Control characters (which include line breaks) and Unicode's line and paragraph separators. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/**
 * Invisible characters: control characters, format characters (zero-width, soft hyphen, bidirectional), line
 * separators, lone surrogates, and everything else that Unicode lets a renderer ignore.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Whether text contains line breaks or other control characters. In a header, anything after a
 * line break would be read as a second header.
 */
export function hasControlCharacters(text: string): boolean {
  return CONTROL.test(text);
}

/** Characters that change the direction of text. They can make a name look like a different one. */
const BIDIRECTIONAL = /\p{Bidi_Control}/u;

export function hasBidirectionalControls(text: string): boolean {
  return BIDIRECTIONAL.test(text);
}

const ALL_HIDDEN = new RegExp(HIDDEN, 'gu');

export function removeHiddenCharacters(text: string): string {
  return text.replaceAll(ALL_HIDDEN, '');
}

export function hasHiddenCharacters(text: string): boolean {
  return HIDDEN.test(text);
}
