import type { Address } from '@posthorn/domain';
import { encodedWords } from './encoded-word.js';
import { assertOneLine, fold, LINE, looksEncoded } from './header.js';

/** Nothing but what an address in ASCII is made of: no space, bracket, comma, quote or line break. */
const ADDRESS = /^[\w!#$%&'*+/=?^`{|}~.-]+@[A-Za-z0-9.-]+$/;

/** How an encoded-word begins: decoded by some readers although RFC 2047, 5 forbids it in an address. */
const ENCODED_WORD = /=\?[^?]*\?[bq]\?/i;

/** RFC 5322, 3.2.3: atoms, which need no quotes. */
const ATOMS = /^[\w!#$%&'*+/=?^`{|}~-]+(?: [\w!#$%&'*+/=?^`{|}~-]+)*$/;

/** Printable ASCII with single spaces: several in a row would not survive every reader. */
const QUOTABLE = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

/**
 * A header of addresses, folded between them, with the CRLF that ends it; nothing for no addresses.
 * @throws Error for an address or a name that could be read as more than one
 */
export function addressHeader(name: string, addresses: readonly Address[]): string {
  if (addresses.length === 0) return '';
  const last = addresses.length - 1;
  return fold(
    name,
    addresses.flatMap((address, index) => mailbox(name, address, index === last ? '' : ',')),
  );
}

/** The words of `Name <address>`: a single one where a line has room for it. */
function mailbox(header: string, { name, address }: Address, comma: string): string[] {
  assertAddress(header, address);
  if (name === null || name === '') return [address + comma];
  const words = [...phrase(header, name), `<${address}>${comma}`];
  const whole = words.join(' ');
  return whole.length < LINE ? [whole] : words;
}

/** A name as atoms, in quotes or in encoded-words: the plainest that gives it back unchanged. */
function phrase(header: string, name: string): string[] {
  assertOneLine(header, name);
  const plain = ATOMS.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`;
  if (QUOTABLE.test(name) && !looksEncoded(name) && plain.length < LINE) return [plain];
  return encodedWords(name, LINE - header.length - 2);
}

/** @throws Error */
export function assertAddress(header: string, address: string): void {
  if (!ADDRESS.test(address) || ENCODED_WORD.test(address)) {
    throw new Error(`${header} must hold plain addresses in ASCII`);
  }
}
