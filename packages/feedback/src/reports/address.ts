const ADDRESS = /^[^\s<>@,;:"()[\]\\]+@[^\s<>@,;:"()\\]+$/;

/**
 * Reads `rfc822; jane@example.net` (RFC 3464, 2.1.2). Servers also leave out the type, or add angle brackets.
 * @returns the address in lower case; null if it has another type or is none
 */
export function parseTypedAddress(value: string | null): string | null {
  const [, type = 'rfc822', rest = ''] = /^\s*(?:([\w.-]+)\s*;)?\s*(.*?)\s*$/s.exec(value ?? '') ?? [];
  if (!['rfc822', 'utf-8', 'utf8', 'smtp', 'internet'].includes(type.toLowerCase())) return null;
  return parseRecipientAddress(decodeHex(rest));
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
    .replace(/\\x\{([0-9A-F]{2,6})\}/gi, (all, hex) => codePoint(hex) ?? all)
    .replace(/\+([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function codePoint(hex: string): string | null {
  const value = Number.parseInt(hex, 16);
  return value <= 0x10_ffff ? String.fromCodePoint(value) : null;
}
