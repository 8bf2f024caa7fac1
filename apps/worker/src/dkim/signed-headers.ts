import { nameOf } from './relaxed-header.js';

/**
 * What a reader sees or follows, and what says how the body is to be read (RFC 6376, 5.4.1). Headers
 * that servers on the way add or rewrite are not among them.
 */
const ALWAYS = [
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
 * RFC 8058, 4 demands it for List-Unsubscribe and List-Unsubscribe-Post. A name with a semicolon would
 * end h= in its midst (RFC 6376, 2.10).
 */
const WHERE_PRESENT = /^list-[^;]*$/;

/** A name for h=, and the header fields of the message that it stands for. */
export type SignedHeader = {
  readonly name: string;
  /** In the order in which they are signed: from the last in the message to the first (RFC 6376, 5.4.2). */
  readonly fields: readonly string[];
};

/**
 * Each name is listed in h= once more than it is there, so that nobody can add a second From, or a
 * Reply-To where there was none, without breaking the signature (RFC 6376, 5.4.2 and 8.15). List-*
 * headers are claimed only where there are some: a mailing list that passes the message on adds its own.
 * @param fields all header fields of the message
 * @throws Error unless there is exactly one From
 */
export function signedHeaders(fields: readonly string[]): SignedHeader[] {
  const byName = new Map<string, string[]>(ALWAYS.map((name) => [name, []]));
  for (const field of fields) {
    const name = nameOf(field);
    if (WHERE_PRESENT.test(name) && !byName.has(name)) byName.set(name, []);
    byName.get(name)?.unshift(field);
  }
  if (byName.get('from')?.length !== 1) throw new Error('A message to be signed has exactly one From');
  return [...byName].map(([name, of]) => ({ name, fields: of }));
}
