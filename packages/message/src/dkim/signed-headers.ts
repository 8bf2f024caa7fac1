import { nameOf } from './relaxed-header.js';

/**
 * Headers that people see, that decide where replies go, or that say how to read the body (RFC 6376, 5.4.1). Headers
 * that other servers add or rewrite are not signed.
 */
const ALWAYS_SIGNED = [
  'from',
  'reply-to',
  'to',
  'cc',
  'subject',
  'date',
  'message-id',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
];

/**
 * RFC 8058 (section 4) requires a signature over List-Unsubscribe and List-Unsubscribe-Post. A semicolon in a name
 * would end the h= tag (RFC 6376, 2.10).
 */
const SIGNED_IF_PRESENT = /^list-[^;]*$/;

/** A header name for the h= tag, and the message's header fields of that name. */
export type SignedHeader = {
  readonly name: string;
  /** In signing order: from the last in the message to the first (RFC 6376, 5.4.2). */
  readonly fields: readonly string[];
};

/**
 * Lists each name in h= once more than the message contains it, so that an added From or Reply-To breaks the signature
 * (RFC 6376, 5.4.2 and 8.15). List-* names are listed only if present, because mailing lists that forward the
 * message add their own.
 * @param fields all header fields of the message
 * @throws Error unless there is exactly one From
 */
export function signedHeaders(fields: readonly string[]): SignedHeader[] {
  const byName = new Map<string, string[]>(ALWAYS_SIGNED.map((name) => [name, []]));
  for (const field of fields) {
    const name = nameOf(field);
    if (SIGNED_IF_PRESENT.test(name) && !byName.has(name)) byName.set(name, []);
    byName.get(name)?.unshift(field);
  }
  if (byName.get('from')?.length !== 1) throw new Error('The message does not have exactly one From');
  return [...byName].map(([name, of]) => ({ name, fields: of }));
}
