import { limits } from '../limits.js';

/** RFC 2045, 5.1, with the characters of RFC 6838, 4.2. Parameters may be quoted. */
const NAME = '[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}';
const MEDIA_TYPE = new RegExp(`^${NAME}/${NAME}(?:; ?${NAME}=(?:${NAME}|"[A-Za-z0-9 !#$&'()*+,./:;<=>?@^_{|}~-]*"))*$`);

/** Types whose content must not be base64 (RFC 2045, 6.4). */
const COMPOSITE = /^(?:multipart|message)\//i;

/** @returns what is wrong with a media type, as a phrase that follows the field; null if nothing is */
export function contentTypeFault(type: string): string | null {
  if (type.length > limits.contentType.max || !MEDIA_TYPE.test(type))
    return 'must be a media type, such as application/pdf or text/calendar; method=REQUEST';
  if (COMPOSITE.test(type)) return 'must not be multipart/* or message/*; use application/octet-stream';
  return null;
}
