import { AddressError, parseAddress } from '../addresses/address.js';

/**
 * The address of a new account: one that we can write to, without a name.
 * @throws AddressError
 */
export function readAccountEmail(text: string): string {
  const { name, address } = parseAddress(text);
  if (name !== null) throw new AddressError('must be an address alone, such as jane@example.com');
  return address;
}

/** The spelling that an account would be found under; what is no address finds none, and is no fault. */
export function toLoginEmail(text: string): string {
  try {
    return readAccountEmail(text);
  } catch {
    return text;
  }
}
