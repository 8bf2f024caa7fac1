import { isAscii, isUtf8, transcode } from 'node:buffer';
import { findDuplicateName, findEndOfString, findSyntaxError, JsonError } from './json-fault.js';

export type JsonLimits = {
  readonly maxDepth: number;
  readonly maxValues: number;
  readonly maxFields: number;
  /** Usually, most of these characters are white space. */
  readonly maxCharactersOutsideStrings: number;
};

/**
 * Parses a body that is not empty. It is measured before it is parsed, and then checked for anything that JSON.parse
 * accepts but validation or Postgres could not handle. Imports nothing from the other packages, because it also runs in
 * the thread for large bodies.
 * @throws JsonError
 */
export function parseJson(bytes: Buffer, limits: JsonLimits): unknown {
  // Decoding would replace invalid bytes with U+FFFD, which would end up in the email.
  if (!isUtf8(bytes)) throw new JsonError({ kind: 'not_utf8' });
  const latin1 = bytes.toString('latin1');
  const fields = measureJson(latin1, limits);
  const text = isAscii(bytes) ? latin1 : removeByteOrderMark(decode(bytes));
  const body = parse(text);
  if (checkValues(body, limits) !== fields)
    throw new JsonError({ kind: 'duplicate_name', field: findDuplicateName(text) });
  return body;
}

/** From this size on, decoding via UTF-16 is much faster: `toString` takes 6 ns per byte in Node 20. */
const TRANSCODED_BYTES = 16_000;

function decode(bytes: Buffer): string {
  return bytes.length < TRANSCODED_BYTES ? bytes.toString() : transcode(bytes, 'utf8', 'utf16le').toString('utf16le');
}

/** Hides the parser's own message, because it quotes the body. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new JsonError({ kind: 'syntax', at: findSyntaxError(text) });
  }
}

/** RFC 8259 (section 8.1) allows parsers to ignore a byte order mark. */
function removeByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

const QUOTE = 0x22;

const [COMMA, COLON, BRACKET, BRACE] = [0x2c, 0x3a, 0x5b, 0x7b];

/**
 * How much a byte outside strings changes the nesting depth. In ASCII, the code of each closing bracket is two higher
 * than the code of its opening bracket.
 */
const depthChange = new Int8Array(256);

for (const opening of [BRACKET, BRACE]) depthChange.set([1, 0, -1], opening);

/** How often each byte was seen. Shared, because allocating it takes longer than clearing it. */
const counts = new Uint32Array(256);

/**
 * Checks the size of a body before it is parsed, because parsing a few megabytes of brackets would block the process
 * for seconds. The counts are only exact for valid JSON; the parser refuses anything else.
 * @param text the bytes of the body as Latin-1. Searching a string is faster than searching a buffer, and all counted
 *   characters are ASCII, whose bytes do not occur inside other UTF-8 characters
 * @returns the number of fields (`"name": value`) in all objects
 * @throws JsonError if the body is nested too deeply, or has too many values or too many characters outside its strings
 */
export function measureJson(text: string, { maxDepth, maxValues, maxCharactersOutsideStrings }: JsonLimits): number {
  counts.fill(0);
  let [depth, deepest, outside] = [0, 0, 0];
  for (let index = 0; index < text.length && outside <= maxCharactersOutsideStrings; index += 1) {
    const byte = text.charCodeAt(index);
    if (byte === QUOTE) index = findEndOfString(text, index);
    counts[byte] = (counts[byte] as number) + 1;
    depth += depthChange[byte] as number;
    if (depth > deepest) deepest = depth;
    outside += 1;
  }
  const count = (byte: number) => counts[byte] as number;
  if (deepest > maxDepth) throw new JsonError({ kind: 'too_deep', levels: deepest });
  if (count(COMMA) >= maxValues || count(BRACKET) + count(BRACE) > maxValues)
    throw new JsonError({ kind: 'too_many_values' });
  if (outside > maxCharactersOutsideStrings) throw new JsonError({ kind: 'too_many_characters_outside_strings' });
  return count(COLON);
}

/** A value and its location. The path is written out only if there is a fault, because most bodies have no faults. */
type Located = { readonly value: unknown; readonly name: string | number; readonly parent: Located | null };

/**
 * Refuses what would break validation or Postgres later: too many values or fields, text that Postgres cannot store,
 * and the name __proto__. Not recursive, because a deeply nested value would overflow the call stack.
 * @returns the total number of fields in all objects
 * @throws JsonError
 */
export function checkValues(
  root: unknown,
  { maxValues, maxFields }: Pick<JsonLimits, 'maxValues' | 'maxFields'>,
): number {
  const stack: Located[] = [{ value: root, name: '', parent: null }];
  let [values, fields] = [0, 0];
  for (let located = stack.pop(); located !== undefined; located = stack.pop()) {
    values += 1;
    if (values > maxValues) throw new JsonError({ kind: 'too_many_values' });
    const { value } = located;
    if (typeof value === 'string') assertStorable(value, located);
    else if (Array.isArray(value)) addItems(stack, located, value);
    else if (typeof value === 'object' && value !== null) fields += addFields(stack, located, value, maxFields);
  }
  return fields;
}

function assertStorable(text: string, located: Located): void {
  if (!isStorable(text)) throw new JsonError({ kind: 'unstorable', field: buildPath(located) });
}

function addItems(stack: Located[], parent: Located, items: readonly unknown[]): void {
  for (let index = 0; index < items.length; index += 1) stack.push({ value: items[index], name: index, parent });
}

function addFields(stack: Located[], parent: Located, value: object, maxFields: number): number {
  const names = Object.keys(value);
  if (names.length > maxFields)
    throw new JsonError({ kind: 'too_many_fields', field: buildPath(parent), fields: names.length });
  for (const name of names) stack.push(toField(parent, value, name));
  return names.length;
}

function toField(parent: Located, value: object, name: string): Located {
  if (!isStorable(name)) throw new JsonError({ kind: 'unstorable_name', field: buildPath(parent) });
  const located = { value: (value as Record<string, unknown>)[name], name, parent };
  // joi would silently drop this name.
  if (name === '__proto__') throw new JsonError({ kind: 'reserved_name', field: buildPath(located) });
  return located;
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** `to[1].name` */
function buildPath({ name, parent }: Located): string {
  if (parent === null) return '';
  const path = buildPath(parent);
  if (typeof name === 'number') return `${path}[${name}]`;
  return path === '' ? name : `${path}.${name}`;
}
