import type { Address } from '@posthorn/domain/format';
import { encodedWords } from './encoded-words.js';
import { assertOneLine, fold, looksEncoded, PREFERRED_LINE_CHARACTERS } from './header.js';

/** Only the characters of a plain ASCII address: no space, bracket, comma, quote or line break. */
const ADDRESS = /^[\w!#$%&'*+/=?^`{|}~.-]+@[A-Za-z0-9.-]+$/;

/** The start of an encoded-word. RFC 2047 (section 5) forbids it in an address, but some mail clients decode it. */
const ENCODED_WORD = /=\?[^?]*\?[bq]\?/i;

/** Atoms need no quotes (RFC 5322, 3.2.3). */
const ATOMS = /^[\w!#$%&'*+/=?^`{|}~-]+(?: [\w!#$%&'*+/=?^`{|}~-]+)*$/;

/** Printable ASCII with single spaces. Not every mail client keeps several spaces in a row. */
const QUOTABLE = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

/**
 * An address header, folded between addresses, with its final CRLF. Empty if there are no addresses.
 * @throws Error for an address or name that could be parsed as more than one
 */
export function addressHeader(name: string, addresses: readonly Address[]): string {
  if (addresses.length === 0) return '';
  const last = addresses.length - 1;
  return fold(
    name,
    addresses.flatMap((address, index) => mailbox(name, address, index === last ? '' : ',')),
  );
}

/** The words of `Name <address>`. If they all fit on one line, they are joined into one word. */
function mailbox(header: string, { name, address }: Address, comma: string): string[] {
  assertAddress(header, address);
  if (name === null || name === '') return [address + comma];
  const words = [...nameWords(header, name), `<${address}>${comma}`];
  const whole = words.join(' ');
  return whole.length < PREFERRED_LINE_CHARACTERS ? [whole] : words;
}

/** A name as atoms, in quotes or as encoded-words: the simplest form that keeps the name unchanged. */
function nameWords(header: string, name: string): string[] {
  assertOneLine(header, name);
  const plain = ATOMS.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`;
  if (QUOTABLE.test(name) && !looksEncoded(name) && plain.length < PREFERRED_LINE_CHARACTERS) return [plain];
  return encodedWords(name, PREFERRED_LINE_CHARACTERS - header.length - 2);
}

/** @throws Error unless the address is plain ASCII */
export function assertAddress(header: string, address: string): void {
  if (!ADDRESS.test(address) || ENCODED_WORD.test(address)) {
    throw new Error(`${header} must contain plain ASCII addresses`);
  }
}
