import { hostOf, parseAddress } from '../addresses/address.js';

/**
 * The Message-ID of an email (RFC 5322, 3.6.4), without its angle brackets: the same on every attempt, so that
 * a second copy can be told for one.
 * @param from as it is written: `Name <local@domain>`
 */
export function messageIdOf(emailId: string, from: string): string {
  return `${emailId}@${hostOf(parseAddress(from).address)}`;
}
