import { visit } from 'jsonc-parser';

/** What is wrong with a JSON body. Plain data, because it is sent between threads. */
export type JsonFault =
  | { readonly kind: 'not_utf8' | 'too_many_values' | 'too_many_characters_outside_strings' }
  /** `at` is null if the body is too large to search for the error. */
  | { readonly kind: 'syntax'; readonly at: SyntaxFault | null }
  | { readonly kind: 'too_deep'; readonly levels: number }
  | { readonly kind: 'too_many_fields'; readonly field: string; readonly fields: number }
  | { readonly kind: 'unstorable' | 'unstorable_name' | 'reserved_name' | 'duplicate_name'; readonly field: string };

export class JsonError extends Error {
  override name = 'JsonError';

  constructor(readonly fault: JsonFault) {
    super(fault.kind);
  }
}

export type SyntaxFault = {
  /** From 1. */
  readonly line: number;
  /** From 1, in characters. */
  readonly column: number;
  readonly mistake: 'trailing_comma' | 'single_quotes' | 'comment' | 'incomplete' | 'other';
};

/** Searching takes much longer than JSON.parse. */
const MAX_CHARACTERS = 16_000;

/** JSON.parse gives a position only in newer versions of Node, and its message quotes the body. */
export function findSyntaxError(text: string): SyntaxFault | null {
  if (text.length > MAX_CHARACTERS) return null;
  const [first] = listErrors(text);
  if (first === undefined) return null;
  const before = text.slice(0, first);
  return {
    line: before.split('\n').length,
    column: first - before.lastIndexOf('\n'),
    mistake: findMistake(text, first),
  };
}

/** The offsets of syntax errors. The first one ends the search. */
function listErrors(text: string): number[] {
  const offsets: number[] = [];
  const stop = new Error('found');
  try {
    visit(
      text,
      {
        onError(_code, offset) {
          offsets.push(offset);
          throw stop;
        },
      },
      { disallowComments: true },
    );
  } catch (error) {
    if (error !== stop) throw error;
  }
  return offsets;
}

function findMistake(text: string, offset: number): SyntaxFault['mistake'] {
  const rest = text.slice(offset).trimStart();
  if (rest === '') return 'incomplete';
  if (/^[}\]]/.test(rest) && /,\s*$/.test(text.slice(0, offset))) return 'trailing_comma';
  if (rest.startsWith("'")) return 'single_quotes';
  return /^\/[/*]/.test(rest) ? 'comment' : 'other';
}

const MAX_PARSED_CHARACTERS = 1_000;

/** `names` is null for an array, whose items are counted in `index`. */
type Level = { readonly path: string; readonly names: Set<string> | null; name: string; index: number };

/**
 * RFC 8259 (section 4) leaves the meaning of duplicate names open. JSON.parse keeps the last one, so a second "to"
 * would silently replace the first.
 * @param text valid JSON that has a duplicate name
 * @returns the path of the first duplicate
 */
export function findDuplicateName(text: string): string {
  const levels: Level[] = [];
  let last = '';
  for (let at = 0; at < text.length; at += 1) {
    const token = text.charAt(at);
    const level = levels.at(-1);
    if (token === '"') {
      const end = findEndOfString(text, at);
      // Only a name can be a duplicate. The text of a value is skipped, because it can be as long as the body.
      last = text.slice(at, end + 1);
      at = end;
    } else if (token === ':' && level?.names) {
      if (isDuplicate(level, level.names, last)) return buildPath(level);
    } else move(levels, token);
  }
  return '';
}

/** @param text the name in quotes */
function isDuplicate(level: Level, names: Set<string>, text: string): boolean {
  // Parsing a name that is megabytes long takes time, and the response shows only its beginning.
  level.name = text.length > MAX_PARSED_CHARACTERS ? text : JSON.parse(text);
  return names.size === names.add(level.name).size;
}

function move(levels: Level[], token: string): void {
  const level = levels.at(-1);
  if (token === '{') levels.push({ path: level ? buildPath(level) : '', names: new Set(), name: '', index: 0 });
  if (token === '[') levels.push({ path: level ? buildPath(level) : '', names: null, name: '', index: 0 });
  if (token === '}' || token === ']') levels.pop();
  if (token === ',' && level) level.index += 1;
}

function buildPath({ path, names, name, index }: Level): string {
  if (names === null) return `${path}[${index}]`;
  return path === '' ? name : `${path}.${name}`;
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** After an escaped quote, this many characters are read one by one, because more escaped quotes usually follow. */
const READ_ONE_BY_ONE = 512;

/**
 * Finds the end of a string in JSON. Searching for the next quote is fast, but not if nearly all quotes are escaped.
 * @param opening the index of the opening quote
 * @returns the index of the closing quote, or the length of the text if there is none
 */
export function findEndOfString(text: string, opening: number): number {
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
