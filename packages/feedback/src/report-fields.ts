/** Fields of one block, by their names in lower case. A name may occur more than once. */
export type Fields = { get(name: string): string | null; all(name: string): readonly string[] };

/** No value that we use is longer, and some of the patterns that read values take quadratic time. */
const MAX_VALUE_CHARACTERS = 2_000;

/**
 * Reads blocks of `Name: value` lines that are separated by blank lines, such as message/delivery-status (RFC 3464, 2.1)
 * and message/feedback-report (RFC 5965, 3). Lines that begin with white space continue the field before them. Values
 * are cut after 2,000 characters.
 */
export function parseFieldBlocks(text: string): Fields[] {
  return text
    .replace(/\r\n?/g, '\n')
    .split(/\n[ \t]*\n/)
    .map(parseFields)
    .filter((fields) => fields !== null);
}

function parseFields(block: string): Fields | null {
  const values = new Map<string, string[]>();
  const unfolded = block.replace(/\n[ \t]+/g, ' ');
  for (const line of unfolded.split('\n')) {
    const [, name, value] = /^([!-9;-~]+)[ \t]*:(.*)$/s.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const cut = value.trim().slice(0, MAX_VALUE_CHARACTERS);
    const known = values.get(name.toLowerCase());
    if (known) known.push(cut);
    else values.set(name.toLowerCase(), [cut]);
  }
  if (values.size === 0) return null;
  const all = (name: string) => values.get(name) ?? [];
  return { get: (name) => all(name)[0] ?? null, all };
}

const ADDRESS = /^[^\s<>@,;:"()[\]\\]+@[^\s<>@,;:"()\\]+$/;

/** Without punctuation, because servers also write `RFC-822` and `rfc/822`. */
const ADDRESS_TYPES = ['rfc822', 'utf8', 'smtp', 'internet', 'local', 'unknown'];

/** A name with an address in it means that two lines were mixed up. */
const DISPLAY_NAME = /^(?:"[^"@]*"|[^<>@:;,"]+?)\s*(?=<[^<>]*>$)/;

/**
 * Reads `rfc822; jane@example.net` (RFC 3464, 2.1.2). Servers also leave out the type, write a colon after it, or add
 * angle brackets and the name of the person.
 * @returns the address in lower case; null if it has another type or is none
 */
export function parseTypedAddress(value: string | null): string | null {
  const address = removeType(value ?? '');
  return address === null ? null : parseRecipientAddress(decodeHex(address.replace(DISPLAY_NAME, '')));
}

/** @returns null if the type is not one of mail */
function removeType(value: string): string | null {
  const [, type = 'rfc822', rest = ''] = /^\s*(?:([\w./-]+)\s*[;:])?\s*(.*?)\s*$/s.exec(value) ?? [];
  return ADDRESS_TYPES.includes(type.toLowerCase().replace(/[^a-z0-9]/g, '')) ? rest : null;
}

/** `<@relay.example,@other.example:jane@example.net>` (RFC 5321, appendix C). */
const SOURCE_ROUTE = /^@[^:]*:/;
const COMMENT = /\([^()]*\)/g;
/** Quotes that the address does not need. */
const QUOTED = /^"([^\s<>@,;:"()[\]\\]+)"(?=@)/;

/**
 * Reads a field that is an address and nothing else. If lines of a report were mixed up, the field of a recipient can
 * end in some other address, so one with more text names nobody.
 * @returns the address in lower case, without angle brackets and comments; null if there is none
 */
export function parseRecipientAddress(text: string): string | null {
  const [, inBrackets, alone = ''] = /^(?:<([^<>]*)>|([^<>]*))$/.exec(text.replace(COMMENT, '').trim()) ?? [];
  const bare = (inBrackets ?? alone).trim().toLowerCase();
  const address = bare.replace(SOURCE_ROUTE, '').replace(QUOTED, '$1');
  return ADDRESS.test(address) ? address : null;
}

/** xtext writes `+` as `+2B` (RFC 3461, 4), and utf-8-addr-xtext writes `é` as `\x{E9}` (RFC 6533, 3). */
function decodeHex(text: string): string {
  return text
    .replace(/\\x\{([0-9A-F]{2,6})\}/gi, (all, hex) => toCharacter(hex) ?? all)
    .replace(/\+([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function toCharacter(hex: string): string | null {
  const value = Number.parseInt(hex, 16);
  return value <= 0x10_ffff ? String.fromCodePoint(value) : null;
}

/** Not the comma of a source route, `<@relay.example,@other.example:jane@example.net>`. */
const LIST_COMMA = /,(?![^<>]*>)/;

/** An email has at most 50 recipients. Reports of mailing lists also name their members. */
export const MAX_RECIPIENTS = 200;

/**
 * The first 200 addresses in these fields, without duplicates. A field may be a list, and what is not an address there is
 * left out.
 */
export function parseAddresses(values: ReadonlyArray<string | null | undefined>): string[] {
  const listed = values.slice(0, MAX_RECIPIENTS).flatMap((value) => removeType(value ?? '')?.split(LIST_COMMA) ?? []);
  const addresses = listed.slice(0, MAX_RECIPIENTS).map(parseRecipientAddress);
  return [...new Set(addresses.filter((address) => address !== null))];
}

/** What a receiver wrote about the envelope sender when the message arrived (RFC 7208, 9.1; RFC 8601, 2.7.2). */
const SENDER_CHECKED =
  /\bdomain of (?:transitioning )?<?([^\s<>]+@[^\s<>;]+)|\b(?:smtp\.mailfrom|envelope-from)=[<"]*("[^\s<>;"]+"@[^\s<>;"]+|[^\s<>;"]+@[^\s<>;"]+)/i;

const MAX_CHECKS = 50;

/**
 * `SRS0=hash=day=host=local@forwarder`: a forwarder has put its own host in place of ours (Sender Rewriting Scheme).
 * Microsoft 365 writes `bounces+SRS=hash=day=host=local@forwarder`.
 */
const REWRITTEN = /^(?:[^@=+]+\+)?srs[01]?[=+-].*=([^=@]+\.[^=@]+)=((?:prvs=[^=@]+=)?[^=@]+)@/i;

/** `prvs=tag=local@host`: a relay has signed it (Bounce Address Tag Validation). Barracuda writes `btv1==tag==local`. */
const SIGNED = /^(?:(?:ms)?prvs\d?=[^=@]+=|btv\d==[^=@]+==)([^=@]+@[^=@]+)$/i;

/**
 * The envelope senders of the message that a report is about: from its Return-Path, from what receivers wrote when they
 * checked it, and from what forwarders made of it.
 * @param reported what the report itself says
 */
export function parseReturnPaths(returned: Fields | null, reported?: string | null): string[] {
  const checked = ['received-spf', 'authentication-results'].flatMap((name) =>
    (returned?.all(name) ?? []).slice(0, MAX_CHECKS).map((value) => {
      const [, byDomain, byName] = SENDER_CHECKED.exec(value) ?? [];
      return byDomain ?? byName ?? null;
    }),
  );
  const named = parseAddresses([reported, returned?.get('return-path'), ...checked]);
  const rewritten = named.map((address) => {
    const [, host, local] = REWRITTEN.exec(address) ?? [];
    return host && local ? `${local}@${host}` : null;
  });
  const all = parseAddresses([...named, ...rewritten]);
  return parseAddresses([...all, ...all.map((address) => SIGNED.exec(address)?.[1])]);
}
