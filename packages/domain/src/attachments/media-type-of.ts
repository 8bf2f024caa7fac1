import { lookup } from 'mime-types';
import { contentTypeFault } from './content-type-fault.js';

/** Receivers offer such a file for download. */
const UNKNOWN_TYPE = 'application/octet-stream';

/**
 * The media type for a file name, such as application/pdf for invoice.pdf. Types that the `content_type` field refuses,
 * such as message/rfc822 for .eml, count as unknown.
 */
export function mediaTypeOf(filename: string): string {
  const type = lookup(filename);
  return type && contentTypeFault(type) === null ? type : UNKNOWN_TYPE;
}
