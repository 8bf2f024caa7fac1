import { limits } from '@posthorn/domain/limits';
import { formatCount, formatCountOf } from '@posthorn/platform/values';

/** RFC 2045, 5.1, with the characters of RFC 6838, 4.2. Parameters may be quoted. */
const NAME = '[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}';
const MEDIA_TYPE = new RegExp(`^${NAME}/${NAME}(?:; ?${NAME}=(?:${NAME}|"[A-Za-z0-9 !#$&'()*+,./:;<=>?@^_{|}~-]*"))*$`);

/** Types whose content must not be base64 (RFC 2045, 6.4). */
const COMPOSITE = /^(?:multipart|message)\//i;

/** Some mail programs take the filename from these, and a boundary only makes sense in a multipart. */
const REFUSED_PARAMETER = /; ?(name|filename|boundary)=/i;
const QUOTED = /"[^"]*"/g;

/** @returns what is wrong with a media type, as a phrase that follows the field; null if nothing is */
export function contentTypeFault(type: string): string | null {
  if (type.length > limits.contentType.max)
    return `has ${formatCountOf(type.length, 'character')}; the limit is ${formatCount(limits.contentType.max)}`;
  if (!MEDIA_TYPE.test(type)) return 'must be a media type, such as application/pdf or text/calendar; method=REQUEST';
  if (COMPOSITE.test(type)) return 'must not be multipart/* or message/*; use application/octet-stream';
  const [, parameter] = REFUSED_PARAMETER.exec(type.replace(QUOTED, '')) ?? [];
  if (parameter !== undefined) return `must not have the parameter ${parameter}. Set filename instead`;
  return null;
}
