import { parseBareAddress } from '@posthorn/domain/format';

/**
 * Parses an account's address, which must not have a display name.
 * @throws AddressError
 */
export function readAccountEmail(text: string): string {
  return parseBareAddress(text);
}

/**
 * The form in which an account's address is stored. An invalid address is returned unchanged, because it matches no
 * account.
 */
export function toLoginEmail(text: string): string {
  try {
    return readAccountEmail(text);
  } catch {
    return text;
  }
}
