import { AddressError, parseAddress } from '../addresses/address.js';

/**
 * Parses an account's address, which must not have a display name.
 * @throws AddressError
 */
export function readAccountEmail(text: string): string {
  const { name, address } = parseAddress(text);
  if (name !== null) throw new AddressError('must be an address without a name, such as jane@example.com');
  return address;
}

/** The spelling under which an account is stored. An invalid address is returned as it is, because it matches none. */
export function toLoginEmail(text: string): string {
  try {
    return readAccountEmail(text);
  } catch {
    return text;
  }
}
