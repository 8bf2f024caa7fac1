import { limits } from '../limits.js';
import { formatDisplayName, parseDisplayName } from './display-name.js';
import { toDomainName } from './domain-name.js';
import { hasHiddenCharacters } from './unsafe-characters.js';

/** `address` is plain ASCII: the local part as it was given, the domain in lower-case A-labels. */
export type Address = { readonly name: string | null; readonly address: string };

/** What is wrong with an address, as the rest of a sentence that begins with its field. */
export class AddressError extends Error {
  override name = 'AddressError';
}

/**
 * More than any address with a name takes within the limits. What costs more than linear time
 * (Unicode normalisation, A-labels) is never given more than this.
 */
const MAX_INPUT_CHARACTERS = 1_000;

const EXAMPLE = 'must be one address such as jane@example.com or "Jane Doe <jane@example.com>"';

/**
 * Reads `local@domain`, `Name <local@domain>` or `"Quoted, Name" <local@domain>`: a small part of
 * RFC 5322, 3.4, without what lets one text mean several addresses or look like another (groups,
 * comments, routes, quoted local parts, encoded words). What is not understood is refused, never repaired.
 * @throws AddressError
 */
export function parseAddress(text: string): Address {
  if (text.length > MAX_INPUT_CHARACTERS) {
    throw new AddressError(
      `must be shorter: ${limits.address.max} characters of address, and ${limits.displayName.max} of name in front of it`,
    );
  }
  if (!text.endsWith('>')) return { name: null, address: parseAddrSpec(text) };
  const opening = text.indexOf('<');
  if (opening === -1 || opening !== text.lastIndexOf('<') || text.indexOf('>') !== text.length - 1) {
    throw new AddressError(`${EXAMPLE}, with < and > round the address only`);
  }
  const name = parseDisplayName(text.slice(0, opening));
  if ('fault' in name) throw new AddressError(name.fault);
  return { ...name, address: parseAddrSpec(text.slice(opening + 1, -1)) };
}

/** The domain of a parsed address: lower case, in A-labels. */
export function hostOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

/** The address as people write it, in Unicode; `parseAddress` reads it back to the same. */
export function formatAddress({ name, address }: Address): string {
  return name === null ? address : `${formatDisplayName(name)} <${address}>`;
}

/**
 * What two spellings of one address have in common. A server may tell local parts apart by case
 * (RFC 5321, 2.4), but none does, and nobody means to write to Jane@ and jane@ separately.
 */
export function addressKey(address: string): string {
  return address.toLowerCase();
}

/** Signs of things that an address is not; the message tells the sender what to do instead. */
const STRANGERS: ReadonlyArray<readonly [RegExp, string]> = [
  [/[,;]/, 'must be one address; make every address an entry of its own'],
  [/[()]/, 'must not hold a comment in parentheses'],
  [/"/, 'must not have quotes in the address itself, only round the name in front of <'],
  [/[[\]]/, 'must have a domain name after the @, not an IP address in brackets'],
  [/:/, 'must not hold a colon: groups, routes and "mailto:" are not addresses'],
  [/@.*@/, 'must be one address, with one @'],
  // Some mail programs decode this even in an address, and then see another one; RFC 2047, 5 forbids it.
  [/=\?[^?]*\?[bq]\?/i, 'must not hold an encoded-word such as =?utf-8?q?...?='],
  [/ /, 'must not have spaces in or round the address, nor anything after a closing >'],
];

function parseAddrSpec(text: string): string {
  if (hasHiddenCharacters(text))
    throw new AddressError('must not hold control characters or others that cannot be seen');
  const stranger = STRANGERS.find(([sign]) => sign.test(text));
  if (stranger) throw new AddressError(stranger[1]);
  const at = text.indexOf('@');
  if (at < 1 || at === text.length - 1) throw new AddressError(EXAMPLE);
  const address = `${checkLocalPart(text.slice(0, at))}@${parseDomain(text.slice(at + 1))}`;
  if (address.length > limits.address.max) {
    throw new AddressError(`has ${address.length} characters, the most is ${limits.address.max}`);
  }
  return address;
}

/** RFC 5321, 4.1.2: Dot-string. The groups share no character, so matching takes linear time. */
const DOT_STRING = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;

function checkLocalPart(local: string): string {
  if (/[^\x20-\x7e]/.test(local)) {
    throw new AddressError(
      'has characters before the @ that need SMTPUTF8, which is not enabled; use an address in plain ASCII there',
    );
  }
  if (local.length > limits.localPart.max) {
    throw new AddressError(`has ${local.length} characters before the @, the most is ${limits.localPart.max}`);
  }
  if (!DOT_STRING.test(local)) {
    throw new AddressError(
      "may hold letters, digits, single dots between them and !#$%&'*+-/=?^_`{|}~ before the @, and nothing else",
    );
  }
  return local;
}

function parseDomain(text: string): string {
  if (text.endsWith('.')) throw new AddressError('must not end with a dot');
  const domain = toDomainName(text);
  if ('fault' in domain) throw new AddressError(`its domain ${domain.fault}`);
  return domain.name;
}
