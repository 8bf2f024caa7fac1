import { hasControlCharacters } from './text.js';

/** An object of a provider's body. Nothing is known about what is in it. */
export type Json = { readonly [name: string]: unknown };

const MAX_BODY_BYTES = 16 * 1024 * 1024;
const MAX_DEPTH = 64;
/** SparkPost sends up to 10,000 events in one body. */
const MAX_ELEMENTS = 20_000;

/** @returns undefined if the text is no JSON, or too large or too deep */
export function parseJson(text: Buffer | string): unknown {
  if (text.length > MAX_BODY_BYTES) return undefined;
  const json = text.toString().replace(/^\uFEFF/, '');
  if (isTooDeep(json)) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const DEPTH_CHANGES: { readonly [character: string]: number } = { '[': 1, '{': 1, ']': -1, '}': -1 };

/** Reads each character once, because a body is parsed before anything about it is known. */
function isTooDeep(json: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < json.length && depth <= MAX_DEPTH; index++) {
    const character = json[index];
    if (character === '"') isInString = !isInString;
    else if (isInString) index += character === '\\' ? 1 : 0;
    else depth += DEPTH_CHANGES[character ?? ''] ?? 0;
  }
  return depth > MAX_DEPTH;
}

/** The events of a body that is an array of them or a single one. What is not an object becomes an empty one. */
export function parseElements(rawBody: Buffer): Json[] {
  const body = parseJson(rawBody);
  if (Array.isArray(body)) return body.slice(0, MAX_ELEMENTS).map(toObject);
  return isObject(body) ? [body] : [];
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @returns an empty object if it is none */
export function toObject(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** @returns an empty array if it is none */
export function toArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, MAX_ELEMENTS) : [];
}

/** What is at the end of a path of property names; undefined if there is nothing. */
export function at(json: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    json,
  );
}

/** A string or number as trimmed text; empty if it is neither. */
export function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}

const MAX_ID_CHARACTERS = 200;

/** @returns null if it is empty or cannot be an id */
export function toId(value: unknown): string | null {
  const id = toText(value);
  return id === '' || id.length > MAX_ID_CHARACTERS || hasControlCharacters(id) ? null : id;
}

/** A Message-ID without angle brackets. */
export function toMessageId(value: unknown): string | null {
  return toId(toText(value).replace(/^<(.*)>$/s, '$1'));
}

const MIN_MS = Date.UTC(2000, 0);
const MAX_MS = Date.UTC(2100, 0);

/**
 * Reads seconds since 1970, with or without a fraction, or a time as in ISO 8601, with any number of digits after the
 * second. Without a zone, it is in UTC.
 */
export function toTime(value: unknown): Date | null {
  const text = toText(value);
  const ms = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1_000 : parseIsoTime(text);
  return ms >= MIN_MS && ms < MAX_MS ? new Date(ms) : null;
}

function parseIsoTime(text: string): number {
  const [, date, time, fraction = '', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d{1,3})?\d*(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
  return date === undefined ? Number.NaN : Date.parse(`${date}T${time}${fraction}${zone}`);
}
