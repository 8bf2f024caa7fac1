import type { Email } from 'postal-mime';
import { parseRecipientAddress } from './address.js';
import { type Fields, parseFieldBlocks } from './fields.js';
import { partText } from './parts.js';

/** Reports return the whole message or its headers (RFC 3462, 2; RFC 6533, 5), or nothing. */
const TYPES = ['message/rfc822', 'text/rfc822-headers', 'message/global', 'message/global-headers'];

/** @returns the headers of the message that a report returns; null if there is none */
export function returnedHeaders(email: Email): Fields | null {
  const [headers = null] = parseFieldBlocks(partText(email, TYPES)?.trimStart() ?? '');
  return headers;
}

/** The envelope senders in these fields, without duplicates. A field that is not one address is left out. */
export function returnPathsIn(...values: ReadonlyArray<string | null | undefined>): string[] {
  const addresses = values.map((value) => parseRecipientAddress(value ?? ''));
  return [...new Set(addresses.filter((address) => address !== null))];
}
