import { limits } from '@posthorn/domain/limits';

/** Characters that need no escapes in a header or in the html's `cid:` URL (RFC 2392). */
const CONTENT_ID = /^[A-Za-z0-9](?:[A-Za-z0-9._@+-]*[A-Za-z0-9])?$/;

/** @returns what is wrong with a content id, as a phrase that follows the field; null if nothing is */
export function contentIdFault(id: string): string | null {
  if (id.length <= limits.contentId.max && CONTENT_ID.test(id)) return null;
  return `must have 1 to ${limits.contentId.max} letters, digits or . _ @ + -, and begin and end with a letter or digit`;
}
