import { limits } from '@posthorn/domain/limits';
import { formatCount, hasControlCharacters } from '@posthorn/platform/values';
import { reservedHeaders } from './reserved-headers.js';

/**
 * Printable ASCII except the colon (RFC 5322, 3.6.8) and the semicolon. A DKIM signature could not name a header that
 * has a semicolon in its name (RFC 6376, 2.10 and 3.5).
 */
const NAME = /^[\x21-\x39\x3c-\x7e]+$/;

const faults = reservedHeaders.map(({ name, fault }) => ({ name: name.toLowerCase(), fault }));
const faultByName = new Map(faults.map(({ name, fault }) => [name, fault]));
const prefixes = faults
  .filter(({ name }) => name.endsWith('*'))
  .map(({ name, fault }) => [name.slice(0, -1), fault] as const);

/**
 * What is wrong with a custom header, or null if it may be sent. The text completes a sentence that starts with the
 * header's name.
 */
export function findHeaderFault(name: string, value: string): string | null {
  return findNameFault(name) ?? findValueFault(value) ?? findStructureFault(name, value);
}

/**
 * Fields with a syntax of their own, in which nothing but phrases may be encoded (RFC 2047, 5): those of lists (RFC
 * 2369, 2919, 8058), message ids, keywords such as `bulk`, and addresses.
 */
const STRUCTURED =
  /^(?:list-.+|references|in-reply-to|auto-submitted|precedence|importance|(?:x-)?priority|feedback-id|disposition-notification-to|return-receipt-to)$/i;
const BEGINS_WITH_PHRASE = /^(?:list-id|disposition-notification-to|return-receipt-to)$/i;
const PHRASE_AND_REST = /^(?:"([^<>"]*)" *|([^<>"]*))(<[^<>]*>)$/;

/** @returns the phrase of `Phrase <rest>`, which may be encoded, and the rest, which may not; null for a field of text */
export function parseStructured(name: string, value: string): { phrase: string; rest: string } | null {
  if (!STRUCTURED.test(name)) return null;
  const [, quoted, plain = '', rest = value] = (BEGINS_WITH_PHRASE.test(name) && PHRASE_AND_REST.exec(value)) || [];
  return { phrase: (quoted ?? plain).trimEnd(), rest };
}

/** A line has at most 998 characters (RFC 5322, 2.1.1), and the first one begins with the name. */
const MAX_UNBROKEN_CHARACTERS = 900;

function findStructureFault(name: string, value: string): string | null {
  const structured = parseStructured(name, value);
  if (structured === null) return null;
  if (!/^[\x20-\x7e]*$/.test(structured.rest))
    return 'may contain only ASCII characters, except in a name before <. Percent-encode a URL, and write a domain in punycode';
  const longest = Math.max(...structured.rest.split(' ').map(({ length }) => length));
  if (longest <= MAX_UNBROKEN_CHARACTERS) return null;
  return `has ${formatCount(longest)} characters without a space; the limit is ${MAX_UNBROKEN_CHARACTERS}. Add a space or shorten it`;
}

function findNameFault(name: string): string | null {
  const { max } = limits.headerName;
  if (name.length > max) return `has a name of ${formatCount(name.length)} characters; the limit is ${max}`;
  if (!NAME.test(name)) return 'must have a name of printable ASCII characters, without spaces, colons or semicolons';
  return findReservedFault(name.toLowerCase());
}

function findReservedFault(name: string): string | null {
  return faultByName.get(name) ?? prefixes.find(([prefix]) => name.startsWith(prefix))?.[1] ?? null;
}

function findValueFault(value: string): string | null {
  const { max } = limits.headerValue;
  if (value.length > max) return `has ${formatCount(value.length)} characters; the limit is ${formatCount(max)}`;
  if (hasControlCharacters(value) || !value.isWellFormed()) return 'must not contain line breaks or control characters';
  return null;
}
