import { limits } from '../limits.js';
import { hasControlCharacters } from './unsafe-characters.js';

/**
 * RFC 5322, 3.6.8: printable ASCII but for the colon. Nor a semicolon: a signature could not name such a
 * header (RFC 6376, 2.10 and 3.5).
 */
const NAME = /^[\x21-\x39\x3c-\x7e]+$/;

/** Headers that a field of the request writes. */
const fieldOf = new Map([
  ['from', 'from_'],
  ['to', 'to'],
  ['cc', 'cc'],
  ['bcc', 'bcc'],
  ['reply-to', 'reply_to'],
  ['subject', 'subject'],
]);

/**
 * Headers that are the service's word, not the client's: who sent the message and when, how its
 * bytes are to be read, and what the servers on its way testify. X-Email-ID is the mark by which an
 * email is found again from a message somebody received, so nobody may set it to another's.
 */
const reserved = new Set([
  'sender',
  'date',
  'message-id',
  'mime-version',
  'dkim-signature',
  'return-path',
  'received',
  'authentication-results',
  'x-email-id',
]);

/** content-* describes the body; arc-* and resent-* are written by those who pass a message on. */
const reservedPrefix = /^(content|arc|resent)-/;

/** What is wrong with a custom header, as the rest of a sentence about it; null when it may be sent. */
export function headerFault(name: string, value: string): string | null {
  return nameFault(name) ?? valueFault(value);
}

function nameFault(name: string): string | null {
  const { max } = limits.headerName;
  if (name.length > max) return `has a name of ${name.length} characters, the most is ${max}`;
  if (!NAME.test(name)) return 'must have a name of printable ASCII characters without spaces, colons and semicolons';
  const lowerCase = name.toLowerCase();
  const field = fieldOf.get(lowerCase);
  if (field !== undefined) return `cannot be set as a header; use the field ${field}`;
  if (reserved.has(lowerCase) || reservedPrefix.test(lowerCase)) return 'is written by the service and cannot be set';
  return null;
}

function valueFault(value: string): string | null {
  const { max } = limits.headerValue;
  if (value.length > max) return `has ${value.length} characters, the most is ${max}`;
  if (hasControlCharacters(value) || !value.isWellFormed()) return 'must not hold line breaks or control characters';
  return null;
}
