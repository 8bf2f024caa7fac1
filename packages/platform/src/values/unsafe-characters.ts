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

/** Words of these scripts need no hidden characters, which would only disguise them. */
const NEEDS_NONE = '[\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}]';

/** More combining marks than a letter has. The bound keeps a search in a long text fast. */
const MARKS = '\\p{M}{0,8}';

/** Hidden characters that scripts and emoji need, wherever they are needed. */
const NEEDED = new RegExp(
  [
    // Joiners: Persian, Indic scripts, families.
    `(?<=[\\p{L}\\p{M}\\p{Extended_Pictographic}\\p{Emoji_Modifier}]|\\ufe0f)(?<!${NEEDS_NONE}${MARKS})[\\u200c\\u200d]`,
    // Variation selectors: red hearts and keycaps, forms of letters in Myanmar and Phags-pa, Han characters.
    '(?<=\\p{Emoji})[\\ufe0e\\ufe0f]',
    `(?<=[\\p{L}\\p{M}])(?<!${NEEDS_NONE}${MARKS})[\\ufe00-\\ufe0f]`,
    '(?<=\\p{L})[\\u{e0100}-\\u{e01ef}]',
    // Mongolian has its own, and a separator before a final vowel.
    '(?<=\\p{Script=Mongolian}[\\u180b-\\u180d\\u180f]?)[\\u180b-\\u180f]',
    // The tags of flags.
    '(?<=\\u{1f3f4}[\\u{e0020}-\\u{e007f}]*)[\\u{e0020}-\\u{e007f}]',
  ].join('|'),
  'gu',
);

const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}]/u;

/**
 * LRM, RLM and ALM put the punctuation between words of two directions in its place. They reorder no letters, unlike
 * embeddings, overrides and isolates. Inside a Latin word, they would only disguise it.
 */
const DIRECTION_MARKS = new RegExp(
  `[\\u200e\\u200f\\u061c](?!${NEEDS_NONE})|(?<!${NEEDS_NONE}${MARKS})[\\u200e\\u200f\\u061c]`,
  'gu',
);

function removeDirectionMarks(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? text.replace(DIRECTION_MARKS, '') : text;
}

/** Whether a text changes its direction by other means than the marks that right-to-left scripts need. */
export function hasBidirectionalControls(text: string): boolean {
  return BIDIRECTIONAL.test(text) && BIDIRECTIONAL.test(removeDirectionMarks(text));
}

const ALL_HIDDEN = new RegExp(HIDDEN, 'gu');

export function removeHiddenCharacters(text: string): string {
  return text.replaceAll(ALL_HIDDEN, '');
}

export function hasHiddenCharacters(text: string): boolean {
  return HIDDEN.test(text);
}

/** Whether a name has hidden characters that its script does not need, so that it may look like another name. */
export function hasDisguisingCharacters(name: string): boolean {
  return HIDDEN.test(name) && HIDDEN.test(removeDirectionMarks(name).replace(NEEDED, ''));
}
