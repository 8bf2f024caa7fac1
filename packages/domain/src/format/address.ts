import { limits } from '@posthorn/domain/limits';
import { toDomainName } from '@posthorn/platform/network';
import { hasDisguisingCharacters, hasHiddenCharacters } from '@posthorn/platform/values';

/**
 * `address` is plain ASCII: the local part as given, without the quotes that it may need on the wire (`toWireAddress`),
 * and the domain in lower case with A-labels.
 */
export type Address = { readonly name: string | null; readonly address: string };

/** An invalid address. The message completes a sentence that starts with the field name. */
export class AddressError extends Error {
  override name = 'AddressError';
}

/**
 * No valid address with a name is longer than this. Longer input is refused before any step that
 * takes more than linear time (Unicode normalization, A-labels).
 */
const MAX_INPUT_CHARACTERS = 1_000;

const MUST_BE_ADDRESS = 'must be one address such as jane@example.com or "Jane Doe <jane@example.com>"';
const MUST_BE_BARE = 'must be an address without a name, such as jane@example.com';

/**
 * Parses `local@domain`, `Name <local@domain>` or `"Quoted, Name" <local@domain>`, a small part of RFC 5322, 3.4.
 * Leaves out everything that could make a string mean several addresses or look like a different
 * one: groups, comments, routes, encoded words, and local parts that need quotes for more than their dots. Never repairs
 * invalid input.
 * @throws AddressError
 */
export function parseAddress(text: string): Address {
  if (text.length > MAX_INPUT_CHARACTERS) {
    throw new AddressError(
      `is too long. An address may have up to ${limits.address.max} characters, and the name before it up to ${limits.displayName.max}`,
    );
  }
  if (!text.endsWith('>')) return { name: null, address: parseAddrSpec(text) };
  const opening = text.indexOf('<');
  if (opening === -1 || opening !== text.lastIndexOf('<') || text.indexOf('>') !== text.length - 1) {
    throw new AddressError(`${MUST_BE_ADDRESS}, with < and > only around the address`);
  }
  const address = parseAddrSpec(text.slice(opening + 1, -1));
  const name = parseDisplayName(text.slice(0, opening), address);
  if ('fault' in name) throw new AddressError(name.fault);
  return { ...name, address };
}

/**
 * Parses `local@domain`, for fields that do not take a display name.
 * @throws AddressError
 */
export function parseBareAddress(text: string): string {
  if (text.length > limits.address.max) throw new AddressError(`has more than ${limits.address.max} characters`);
  if (/[<>]/.test(text)) throw new AddressError(MUST_BE_BARE);
  return parseAddrSpec(text, MUST_BE_BARE);
}

/** The domain of a parsed address, in lower case with A-labels. */
export function toHost(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

/** Quotes a local part whose dots are not allowed without quotes (RFC 5321, 4.1.2), as in old addresses at docomo.ne.jp. */
export function toWireAddress(address: string): string {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  return /^\.|\.\.|\.$/.test(local) ? `"${local}"${address.slice(at)}` : address;
}

/** The address as people write it. `parseAddress` reads it back unchanged. */
export function formatAddress({ name, address }: Address): string {
  return name === null ? address : `${formatDisplayName(name)} <${address}>`;
}

/**
 * Returns the same key for every spelling of an address. A server may treat local parts as case-sensitive (RFC 5321,
 * 2.4), but in practice none does, and a client that sends to Jane@ and jane@ means one recipient.
 */
export function toAddressKey(address: string): string {
  return address.toLowerCase();
}

const IGNORES_DOTS = new Set(['gmail.com', 'googlemail.com']);

/**
 * Returns the same key for all addresses that providers deliver to one mailbox: with anything after a plus sign, and at
 * Gmail with dots. For limits that keep mail from strangers, because an attacker has any number of such addresses.
 */
export function toMailboxKey(address: string): string {
  const [local = '', domain = ''] = toAddressKey(address).split(/@(?=[^@]*$)/);
  const name = local.split('+')[0] || local;
  return IGNORES_DOTS.has(domain) ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${domain}`;
}

/** Patterns that match malformed addresses, each with the message for the client. */
const MALFORMED: ReadonlyArray<readonly [RegExp, string]> = [
  [/[,;]/, 'must be one address. Put each address in its own entry'],
  [/[()]/, 'must not contain a comment in parentheses'],
  [/"/, 'must not contain quotes, except around the name or around everything before the @, as in "jane."@example.com'],
  [/[[\]]/, 'must have a domain name after the @, not an IP address in brackets'],
  [/:/, 'must not contain a colon, because groups, routes and "mailto:" are not supported'],
  [/@.*@/, 'must be one address with one @'],
  // RFC 2047, 5 forbids this, but some mail programs decode it even inside an address, and then see a different
  // address.
  [/=\?[^?]*\?[bq]\?/i, 'must not contain an encoded-word such as =?utf-8?q?...?='],
  [/ /, 'must not contain spaces in or around the address, or anything after the closing >'],
];

/** @param expected the message for a string without an @, or with nothing before or after the @ */
function parseAddrSpec(text: string, expected: string = MUST_BE_ADDRESS): string {
  if (hasHiddenCharacters(text)) throw new AddressError('must not contain control or other invisible characters');
  const quoted = QUOTED_LOCAL_PART.exec(text)?.[1] ?? '';
  if (UNSUPPORTED_IN_QUOTES.test(quoted)) {
    throw new AddressError(
      'has quotes before the @ that are needed for more than dots. A quoted local part with spaces or any of , ; : ( ) [ ] is not supported',
    );
  }
  const unquoted = text.replace(QUOTED_LOCAL_PART, '$1');
  const malformed = MALFORMED.find(([pattern]) => pattern.test(unquoted));
  if (malformed) throw new AddressError(malformed[1]);
  const at = unquoted.indexOf('@');
  if (at < 1 || at === unquoted.length - 1) throw new AddressError(expected);
  const address = `${checkLocalPart(unquoted.slice(0, at))}@${parseDomain(unquoted.slice(at + 1))}`;
  if (address.length > limits.address.max) {
    throw new AddressError(`has ${address.length} characters; the limit is ${limits.address.max}`);
  }
  return address;
}

const QUOTED_LOCAL_PART = /^"([^"\\]+)"(?=@)/;

/**
 * What RFC 5321, 4.1.2 allows in quotes and we do not accept. Addresses are stored and searched without their quotes, and
 * bounces in plain text name them without quotes, so such an address could not be told from the text around it.
 */
const UNSUPPORTED_IN_QUOTES = /[ ,;:()[\]]/;

/** Atoms and dots (RFC 5321, 4.1.2), with dots also where only quotes allow them. */
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~.-]*[\w!#$%&'*+/=?^`{|}~-][\w!#$%&'*+/=?^`{|}~.-]*$/;

function checkLocalPart(local: string): string {
  if (/[^\x20-\x7e]/.test(local)) {
    throw new AddressError(
      'has characters before the @ that require SMTPUTF8, which is not supported. Use only ASCII characters there',
    );
  }
  if (local.length > limits.localPart.max) {
    throw new AddressError(`has ${local.length} characters before the @; the limit is ${limits.localPart.max}`);
  }
  if (!LOCAL_PART.test(local)) {
    throw new AddressError("may contain only letters, digits, dots and !#$%&'*+-/=?^_`{|}~ before the @");
  }
  return local;
}

function parseDomain(text: string): string {
  if (text.endsWith('.')) throw new AddressError('must not end with a dot');
  const domain = toDomainName(text);
  if ('fault' in domain) throw new AddressError(`has an invalid domain: it ${domain.fault}`);
  return domain.name;
}

/** Characters that a name must not contain outside quotes, because they have a meaning in RFC 5322. */
const NEEDS_QUOTES = /[()[\]:;\\"]/;

/**
 * The specials of RFC 5322, 3.2.3. A name that contains one of them is quoted, because some mail programs need the
 * quotes.
 */
const SPECIALS = /[()<>[\]:;@\\,."]/;

/** Quoted text in which a backslash may come only before a quote or another backslash. */
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;

/**
 * Parses the name before `<`. The result is trimmed and in NFC, or null if the name is empty.
 * @returns the name, or a fault that completes a sentence about the address
 */
function parseDisplayName(text: string, address: string): { name: string | null } | { fault: string } {
  if (hasDisguisingCharacters(text)) {
    return { fault: 'has a name with control or other invisible characters. Remove them' };
  }
  const typed = text.trim();
  const plain = typed.startsWith('"') ? unquote(typed) : typed;
  if (plain === null) {
    return { fault: 'has a name whose quotes do not match. Write "Name" <address>, with \\" for a quote in the name' };
  }
  const name = plain.normalize('NFC').trim();
  if (!typed.startsWith('"') && NEEDS_QUOTES.test(name)) {
    return { fault: 'needs quotes around the name, because it contains one of ( ) [ ] : ; " or a backslash' };
  }
  const fault = nameFault(name, address);
  return fault === null ? { name: name === '' ? null : name } : { fault };
}

/** Quotes the name if it needs quotes, as in `"Doe, Jane"`. */
function formatDisplayName(name: string): string {
  return SPECIALS.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : name;
}

function unquote(typed: string): string | null {
  const quoted = QUOTED.exec(typed)?.[1];
  return quoted === undefined ? null : quoted.replace(/\\(["\\])/g, '$1');
}

function nameFault(name: string, address: string): string | null {
  // Mail programs show the name and hide the address, so readers would trust "ceo@bank.example" <a@b.example>.
  if (/[@<>]/.test(name.normalize('NFKC')) && toAddressKey(name) !== toAddressKey(address)) {
    return 'has a name with @, < or >, which readers could mistake for the address. Remove it from the name';
  }
  if (name.includes('=?')) {
    return 'has a name with =?, which mail programs would decode. Write the name in plain Unicode';
  }
  const length = [...name].length;
  const { max } = limits.displayName;
  return length > max ? `has a name of ${length} characters; the limit is ${max}` : null;
}
