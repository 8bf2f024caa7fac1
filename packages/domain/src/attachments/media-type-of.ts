import { lookup } from 'mime-types';

/** Receivers offer such a file for download. */
const UNKNOWN_TYPE = 'application/octet-stream';

/** The media type for a file name, such as application/pdf for invoice.pdf. */
export function mediaTypeOf(filename: string): string {
  return lookup(filename) || UNKNOWN_TYPE;
}
