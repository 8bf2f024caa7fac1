import { hostOf, parseAddress } from '../addresses/address.js';

/**
 * The Message-ID of an email (RFC 5322, 3.6.4), without angle brackets. It is the same on every attempt, so that
 * mail systems can recognize a second copy.
 * @param from as in the header: `Name <local@domain>`
 */
export function messageIdOf(emailId: string, from: string): string {
  return `${emailId}@${hostOf(parseAddress(from).address)}`;
}
