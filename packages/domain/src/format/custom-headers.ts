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

/** Fields with addresses, which may each have a name before them. */
const ADDRESSES =
  /^(?:disposition-notification-to|return-receipt-to|x-confirm-reading-to|mail-followup-to|mail-reply-to)$/i;

const MESSAGE_IDS = /^(?:references|in-reply-to|supersedes|original-message-id)$/i;

/**
 * Other fields with a syntax of their own: those of lists (RFC 2369, 2919, 8058), archives (RFC 5064), feedback (RFC
 * 9477), and keywords such as `bulk`.
 */
const OTHER_STRUCTURED =
  /^(?:list-.+|archived-at|cfbl-(?:address|feedback-id)|auto-submitted|precedence|importance|sensitivity|(?:x-)?priority|feedback-id|expires|expiry-date|message-context|bimi-selector|autocrypt|x-auto-response-suppress)$/i;

function isStructured(name: string): boolean {
  return [ADDRESSES, MESSAGE_IDS, OTHER_STRUCTURED].some((pattern) => pattern.test(name));
}

/** A piece of a structured value. Nothing but phrases and comments may be encoded (RFC 2047, 5). */
export type HeaderPart = { readonly kind: 'plain' | 'phrase' | 'comment'; readonly text: string };

/** @returns null for a field of text */
export function parseStructured(name: string, value: string): HeaderPart[] | null {
  if (!isStructured(name)) return null;
  if (ADDRESSES.test(name)) return splitMailboxes(value).flatMap(parsePhrase);
  return /^list-id$/i.test(name) ? parsePhrase(value) : parseComments(value);
}

const UP_TO_COMMA = /(?:"(?:[^"\\]|\\.)*"?|<[^<>]*>?|[^",<])+,?|,/g;

/** A name may have a comma without quotes, so a part without an address belongs to the next one. */
function splitMailboxes(value: string): string[] {
  const mailboxes: string[] = [];
  let pending = '';
  for (const part of value.match(UP_TO_COMMA) ?? []) {
    pending += part;
    if (!/[<@]/.test(part)) continue;
    mailboxes.push(pending);
    pending = '';
  }
  return pending === '' ? mailboxes : [...mailboxes, pending];
}

const PHRASE_AND_REST = /^(?:"((?:[^"\\]|\\.)*)" *|([^<>]*))(<[^<>]*>[^<>"]*)$/;

function parsePhrase(value: string): HeaderPart[] {
  const [, quoted, plain = '', rest = value] = PHRASE_AND_REST.exec(value.trim()) ?? [];
  const phrase = (quoted?.replace(/\\(.)/g, '$1') ?? plain).trim();
  return [...(phrase === '' ? [] : [{ kind: 'phrase', text: phrase } as const]), ...parseComments(rest)];
}

const TOKEN = /"(?:[^"\\]|\\.)*"?|<[^<>]*>?|\([^()]*\)?|[^"<(]+/g;
const COMMENT = /^\(([^()]*)\)$/;
const MUST_BE_ENCODED = /[^\x20-\x7e]|=\?/;

/** Splits off the comments that must be encoded. */
function parseComments(value: string): HeaderPart[] {
  const parts: HeaderPart[] = [];
  let plain = '';
  const addPlain = () => {
    if (plain.trim() !== '') parts.push({ kind: 'plain', text: plain.trim() });
    plain = '';
  };
  for (const token of value.match(TOKEN) ?? []) {
    const [, comment = ''] = COMMENT.exec(token) ?? [];
    if (!MUST_BE_ENCODED.test(comment)) plain += token;
    else {
      addPlain();
      parts.push({ kind: 'comment', text: comment });
    }
  }
  addPlain();
  return parts;
}

/**
 * A structured value on one line. People copy References from messages, in which they are folded and may have no spaces
 * between them (RFC 5322, 3.2.2 and 3.6.4); the line is folded again when it is sent.
 */
export function unfoldHeader(name: string, value: string): string {
  if (!isStructured(name)) return value;
  const unfolded = value.replace(/\r?\n[ \t]+|\t[ \t]*/g, ' ').trim();
  return MESSAGE_IDS.test(name) ? unfolded.replaceAll('><', '> <') : unfolded;
}

/** A line has at most 998 characters (RFC 5322, 2.1.1), and the first one begins with the name. */
const MAX_UNBROKEN_CHARACTERS = 900;

function findStructureFault(name: string, value: string): string | null {
  const structured = parseStructured(name, value);
  if (structured === null) return null;
  const plain = structured.filter(({ kind }) => kind === 'plain');
  if (!plain.every(({ text }) => /^[\x20-\x7e]*$/.test(text)))
    return 'may contain only ASCII characters, except in a name before < and in a comment in parentheses. Percent-encode a URL, and write a domain in punycode';
  const longest = Math.max(0, ...plain.flatMap(({ text }) => text.split(' ')).map(({ length }) => length));
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
