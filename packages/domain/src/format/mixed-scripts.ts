/** The scripts that today's languages are written in: UAX 31, tables 5 and 7. The others count as one script. */
const SCRIPTS = [
  ...['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Hebrew', 'Arabic', 'Thaana', 'Devanagari', 'Bengali', 'Gurmukhi'],
  ...['Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Thai', 'Lao', 'Tibetan', 'Myanmar'],
  ...[
    'Georgian',
    'Hangul',
    'Ethiopic',
    'Khmer',
    'Han',
    'Hiragana',
    'Katakana',
    'Bopomofo',
    'Syriac',
    'Nko',
    'Cherokee',
  ],
  ...['Canadian_Aboriginal', 'Mongolian', 'Tifinagh', 'Yi', 'Javanese', 'Balinese', 'Sundanese', 'Cham', 'Vai', 'Lisu'],
  ...['Adlam', 'Ol_Chiki', 'Meetei_Mayek', 'Tai_Le', 'New_Tai_Lue', 'Tai_Tham', 'Tai_Viet', 'Osage', 'Hanifi_Rohingya'],
];

/** The scripts that a word may mix: "Highly Restrictive" in UTS 39, 5.2. */
const COMBINATIONS = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];

const toClass = (scripts: readonly string[]) => scripts.map((script) => `\\p{scx=${script}}`).join('');

/** Digits and marks that several scripts share are in every word. */
const ALLOWED = [
  ...[...SCRIPTS.map((script) => [script]), ...COMBINATIONS].map(
    (scripts) => new RegExp(`^[${toClass(scripts)}\\p{scx=Common}\\p{scx=Inherited}]*$`, 'u'),
  ),
  new RegExp(`^[^${toClass(SCRIPTS)}]*$`, 'u'),
];

const WORD = /[\p{Letter}\p{Mark}\p{Number}]+/gu;

/**
 * Finds a word whose letters are from scripts that do not belong together, such as `P\u0430yPal` with a Cyrillic a. People
 * read such a word as another one.
 */
export function findMixedScriptWord(text: string): string | null {
  const words = text.normalize('NFKC').match(WORD) ?? [];
  return words.find((word) => !ALLOWED.some((pattern) => pattern.test(word))) ?? null;
}
