import { limits } from '@posthorn/domain/limits';
import { formatCount } from '@posthorn/platform/values';
import Mustache from 'mustache';

/** Literal text, or a placeholder. Pieces do not nest, so rendering is a single pass. */
type Piece = string | Placeholder;

/** `raw` is set for `{{{name}}}` and `{{&name}}`, whose values are not escaped in HTML. */
export type Placeholder = { readonly name: string; readonly raw: boolean };

export type ParsedTemplate = readonly Piece[];

/**
 * Says where the error in a template is and how to fix it. The message completes a sentence that starts with the field.
 */
export class TemplateSyntaxError extends Error {
  override name = 'TemplateSyntaxError';
}

/** Leaves room for the longest name, the braces and some white space. */
const MAX_TAG_CHARACTERS = limits.templateVarName.max + 50;

const NAME = new RegExp(`^[\\p{L}\\p{M}\\p{N}_.-]{1,${limits.templateVarName.max}}$`, 'u');

/** Keys with these names are harmless here, but not in other programs that handle template variables. */
export const forbiddenNames: readonly string[] = ['__proto__', 'constructor', 'prototype'];

const refusedTags: Readonly<Record<string, string>> = {
  '#': 'sections are not supported. Build that part in your program and pass it as a variable',
  '^': 'inverted sections are not supported. Build that part in your program and pass it as a variable',
  '/': 'sections are not supported, so there is none to close. Remove the tag',
  '>': 'partials are not supported. Insert the text of the partial instead',
  '=': 'delimiters cannot be changed. Write variables as {{name}}',
};

/** The cache is off because mustache never empties it. */
const mustache = Object.assign(new Mustache.Writer(), { templateCache: undefined });

/**
 * Parses the mustache tags for variables (`{{name}}`, `{{{name}}}` and `{{&name}}`) and comments (`{{! }}`).
 *
 * We pass one tag at a time to mustache. If its scanner gets the whole text, it takes 27 s for `{{a` followed by
 * 200,000 spaces, and 264 MB for 2 MB of plain text (one token per character). Comments count as placeholders, because
 * they take just as long to parse.
 * @throws TemplateSyntaxError with the position of any other tag
 */
export function parseTemplate(source: string): ParsedTemplate {
  return parsePieces(source, (placeholder) => placeholder);
}

/**
 * Replaces the placeholders of a template and leaves out its comments.
 * @param replace receives the placeholder as it is written, such as `{{&name}}`
 * @throws TemplateSyntaxError as `parseTemplate` does
 */
export function replacePlaceholders(source: string, replace: (tag: string) => string): string {
  return parsePieces(source, (_placeholder, tag) => replace(tag)).join('');
}

function parsePieces<Kept>(
  source: string,
  toPiece: (placeholder: Placeholder, tag: string) => Kept,
): readonly (string | Kept)[] {
  const literal = literalText();
  const pieces: (string | Kept)[] = [];
  let tags = 0;
  let at = 0;
  for (let open = source.indexOf('{{'); open !== -1; open = source.indexOf('{{', at)) {
    literal.append(source.slice(at, open));
    tags += 1;
    if (tags > limits.templateTags.max)
      fail(source, open, `there are more than ${formatCount(limits.templateTags.max)} placeholders. Use fewer`);
    at = endOfTag(source, open);
    const placeholder = parseTag(source, open, at);
    if (placeholder === null) literal.skipComment();
    else pieces.push(literal.take(), toPiece(placeholder, source.slice(open, at)));
  }
  literal.append(source.slice(at));
  pieces.push(literal.end());
  return pieces.filter((piece) => piece !== '');
}

/** @returns the index after the closing braces */
function endOfTag(source: string, open: number): number {
  const closing = kindOfTag(source, open) === '{' ? '}}}' : '}}';
  const close = source.indexOf(closing, open + 2);
  if (close === -1) fail(source, open, `the tag is not closed. End it with ${closing}`);
  return close + closing.length;
}

/** @returns null for a comment */
function parseTag(source: string, open: number, end: number): Placeholder | null {
  const kind = kindOfTag(source, open);
  if (kind === '!') return null;
  const refused = refusedTags[kind];
  if (refused !== undefined) fail(source, open, refused);
  if (end - open > MAX_TAG_CHARACTERS) {
    fail(
      source,
      open,
      `the tag has ${formatCount(end - open)} characters; the limit is ${MAX_TAG_CHARACTERS}. Close it earlier`,
    );
  }
  const [[type, name]] = mustache.parse(source.slice(open, end));
  if (!NAME.test(name) || name === '.') {
    fail(
      source,
      open,
      `"${name}" is not a valid variable name. Use 1 to ${limits.templateVarName.max} letters, digits, dots, hyphens and underscores`,
    );
  }
  if (forbiddenNames.includes(name)) fail(source, open, `the variable name ${name} is reserved. Choose another name`);
  return { name, raw: type === '&' };
}

/** The character that determines the tag type; for a variable, the first letter of its name. */
function kindOfTag(source: string, open: number): string {
  const start = /\S/g;
  start.lastIndex = open + 2;
  return start.exec(source)?.[0] ?? '';
}

function fail(source: string, index: number, message: string): never {
  const { line, column } = findPosition(source, index);
  throw new TemplateSyntaxError(`has an error at line ${line}, column ${column}: ${message}`);
}

/**
 * Counts line breaks instead of splitting the source, because splitting two megabytes of text takes a tenth of a
 * second.
 */
function findPosition(source: string, index: number): { line: number; column: number } {
  let [line, column] = [1, 1];
  for (let at = 0; at < index; at += 1) {
    const code = source.charCodeAt(at);
    if (code === LINE_FEED) [line, column] = [line + 1, 1];
    // The second half of a surrogate pair belongs to the same character.
    else if (code < 0xdc00 || code > 0xdfff) column += 1;
  }
  return { line, column };
}

const LINE_FEED = 0x0a;

/**
 * Collects the text between placeholders exactly as mustache renders it. Mustache removes lines that contain only
 * comments and white space.
 */
function literalText() {
  let finished = '';
  let line = '';
  let lineHasComment = false;
  let lineHasPlaceholder = false;

  function endLine(): void {
    const isCommentLine = lineHasComment && !lineHasPlaceholder && line.trim() === '';
    if (!isCommentLine) finished += line;
    line = '';
    lineHasComment = false;
    lineHasPlaceholder = false;
  }

  function take(): string {
    const text = finished + line;
    finished = '';
    line = '';
    lineHasPlaceholder = true;
    return text;
  }

  return {
    append(text: string): void {
      const first = text.indexOf('\n');
      if (first === -1) {
        line += text;
        return;
      }
      line += text.slice(0, first + 1);
      endLine();
      const last = text.lastIndexOf('\n');
      finished += text.slice(first + 1, last + 1);
      line = text.slice(last + 1);
    },
    skipComment(): void {
      lineHasComment = true;
    },
    /** Returns the text before a placeholder. The text after the placeholder is collected separately. */
    take,
    /** Returns the text up to the end of the template. */
    end(): string {
      endLine();
      return take();
    },
  };
}
