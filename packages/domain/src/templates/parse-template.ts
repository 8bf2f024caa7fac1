import Mustache from 'mustache';
import { limits } from '../limits.js';
import { literalText } from './literal-text.js';

/** Literal text, or a place for a variable. Flat on purpose: rendering is one pass without look-ups but by own name. */
export type Piece = string | Placeholder;

/** `raw`: the author wrote `{{{name}}}` or `{{&name}}`, so the value is not escaped in HTML. */
export type Placeholder = { readonly name: string; readonly raw: boolean };

export type ParsedTemplate = readonly Piece[];

/** Where a template is wrong, and what its author may do instead; the message has no full stop. */
export class TemplateSyntaxError extends Error {
  override name = 'TemplateSyntaxError';
}

/** Longest tag that is looked at: a name in braces with some space around. */
const MAX_TAG = limits.templateVarName.max + 50;

const NAME = new RegExp(`^[\\p{L}\\p{M}\\p{N}_.-]{1,${limits.templateVarName.max}}$`, 'u');

/** Own keys of these names are harmless here, but not everywhere a template's variables go. */
export const forbiddenNames: readonly string[] = ['__proto__', 'constructor', 'prototype'];

const refusedTags: Readonly<Record<string, string>> = {
  '#': 'sections are not supported; choose between templates before sending',
  '^': 'inverted sections are not supported; choose between templates before sending',
  '/': 'sections are not supported, so there is none to close; remove the tag',
  '>': 'partials are not supported; put the text of the partial in its place',
  '=': 'delimiters cannot be changed; write variables as {{name}}',
};

/** Its cache is off: mustache never empties it. */
const mustache = Object.assign(new Mustache.Writer(), { templateCache: undefined });

/**
 * Parses the name tags of mustache: `{{name}}`, `{{{name}}}`, `{{&name}}` and comments `{{! }}`.
 *
 * mustache reads one tag at a time. Given the whole text, its scanner takes 27 s for `{{a` and
 * 200,000 spaces, and 264 MB for 2 MB of plain text (one token per character).
 * @throws TemplateSyntaxError for any other tag, saying where it is
 */
export function parseTemplate(source: string): ParsedTemplate {
  const literal = literalText();
  const pieces: Piece[] = [];
  let placeholders = 0;
  let at = 0;
  for (let open = source.indexOf('{{'); open !== -1; open = source.indexOf('{{', at)) {
    literal.append(source.slice(at, open));
    at = endOfTag(source, open);
    const placeholder = parseTag(source, open, at);
    if (placeholder === null) {
      literal.skipComment();
      continue;
    }
    placeholders += 1;
    if (placeholders > limits.templateTags.max)
      fail(source, open, `there are more than ${limits.templateTags.max} placeholders; use fewer`);
    pieces.push(literal.take(), placeholder);
  }
  literal.append(source.slice(at));
  pieces.push(literal.end());
  return pieces.filter((piece) => piece !== '');
}

/** @returns the index behind the closing braces */
function endOfTag(source: string, open: number): number {
  const closing = kindOfTag(source, open) === '{' ? '}}}' : '}}';
  const close = source.indexOf(closing, open + 2);
  if (close === -1) fail(source, open, `the tag is not closed; end it with ${closing}`);
  return close + closing.length;
}

/** @returns null for a comment */
function parseTag(source: string, open: number, end: number): Placeholder | null {
  const kind = kindOfTag(source, open);
  if (kind === '!') return null;
  const refused = refusedTags[kind];
  if (refused !== undefined) fail(source, open, refused);
  if (end - open > MAX_TAG) fail(source, open, `a tag may be at most ${MAX_TAG} characters long; close it earlier`);
  const [[type, name]] = mustache.parse(source.slice(open, end));
  if (!NAME.test(name) || name === '.') {
    fail(
      source,
      open,
      `"${name}" cannot name a variable; use 1 to ${limits.templateVarName.max} letters, digits, _, - and .`,
    );
  }
  if (forbiddenNames.includes(name)) fail(source, open, `a variable may not be called ${name}; choose another name`);
  return { name, raw: type === '&' };
}

/** The sign that says what a tag does; for a variable the first letter of its name. */
function kindOfTag(source: string, open: number): string {
  const start = /\S/g;
  start.lastIndex = open + 2;
  return start.exec(source)?.[0] ?? '';
}

function fail(source: string, index: number, message: string): never {
  const before = source.slice(0, index);
  const line = before.split('\n').length;
  const column = [...before.slice(before.lastIndexOf('\n') + 1)].length + 1;
  throw new TemplateSyntaxError(`line ${line}, column ${column}: ${message}`);
}
