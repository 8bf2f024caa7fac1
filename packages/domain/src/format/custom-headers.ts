import { limits } from '@posthorn/domain/limits';
import { formatCount, hasControlCharacters } from '@posthorn/platform/values';
import { reservedHeaders } from './reserved-headers.js';

/**
 * Printable ASCII except the colon (RFC 5322, 3.6.8) and the semicolon. A DKIM signature could not name a header that
 * has a semicolon in its name (RFC 6376, 2.10 and 3.5).
 */
const NAME = /^[\x21-\x39\x3c-\x7e]+$/;

const faults = reservedHeaders.map(({ name, fault }) => ({ name: name.toLowerCase(), fault }));
const faultOf = new Map(faults.map(({ name, fault }) => [name, fault]));
const prefixes = faults
  .filter(({ name }) => name.endsWith('*'))
  .map(({ name, fault }) => [name.slice(0, -1), fault] as const);

/**
 * What is wrong with a custom header, or null if it may be sent. The text completes a sentence that starts with the
 * header's name.
 */
export function headerFault(name: string, value: string): string | null {
  return nameFault(name) ?? valueFault(value);
}

function nameFault(name: string): string | null {
  const { max } = limits.headerName;
  if (name.length > max) return `has a name of ${formatCount(name.length)} characters; the limit is ${max}`;
  if (!NAME.test(name)) return 'must have a name of printable ASCII characters, without spaces, colons or semicolons';
  return reservedFault(name.toLowerCase());
}

function reservedFault(name: string): string | null {
  return faultOf.get(name) ?? prefixes.find(([prefix]) => name.startsWith(prefix))?.[1] ?? null;
}

function valueFault(value: string): string | null {
  const { max } = limits.headerValue;
  if (value.length > max) return `has ${formatCount(value.length)} characters; the limit is ${max}`;
  if (hasControlCharacters(value) || !value.isWellFormed()) return 'must not contain line breaks or control characters';
  return null;
}
