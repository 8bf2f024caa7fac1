import { formatCount } from '../format-count.js';
import { limits } from '../limits.js';
import { hasControlCharacters } from './unsafe-characters.js';

/**
 * Printable ASCII without the colon (RFC 5322, 3.6.8) and without the semicolon, because a DKIM signature could not
 * name such a header (RFC 6376, 2.10 and 3.5).
 */
const NAME = /^[\x21-\x39\x3c-\x7e]+$/;

/** Headers that are set by a field of the request. */
const fieldOf = new Map([
  ['from', 'from_'],
  ['to', 'to'],
  ['cc', 'cc'],
  ['bcc', 'bcc'],
  ['reply-to', 'reply_to'],
  ['subject', 'subject'],
]);

/**
 * Headers that only the service or later servers may set. They say who sent the message and when, how to read its
 * bytes, and what servers on the way found. X-Email-ID leads from a received message to its email, so a client must
 * not point it at a different one.
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

/** content-* describes the body; servers and programs that forward a message write arc-* and resent-*. */
const reservedPrefix = /^(content|arc|resent)-/;

/** What is wrong with a custom header, to complete a sentence that starts with its name; null if it may be sent. */
export function headerFault(name: string, value: string): string | null {
  return nameFault(name) ?? valueFault(value);
}

function nameFault(name: string): string | null {
  const { max } = limits.headerName;
  if (name.length > max) return `has a name of ${formatCount(name.length)} characters; the limit is ${max}`;
  if (!NAME.test(name)) return 'must have a name of printable ASCII characters, without spaces, colons or semicolons';
  const lowerCase = name.toLowerCase();
  const field = fieldOf.get(lowerCase);
  if (field !== undefined) return `cannot be set as a header. Use the field ${field}`;
  if (reserved.has(lowerCase) || reservedPrefix.test(lowerCase)) return 'is set by the service. Remove it';
  return null;
}

function valueFault(value: string): string | null {
  const { max } = limits.headerValue;
  if (value.length > max) return `has ${formatCount(value.length)} characters; the limit is ${max}`;
  if (hasControlCharacters(value) || !value.isWellFormed()) return 'must not contain line breaks or control characters';
  return null;
}
