import type { StoredAttachment } from '@posthorn/domain/attachments';
import { assertOneLine, CRLF, fold } from './header.js';
import { parameter } from './parameter.js';

/**
 * The headers of the part that contains a file, with the blank line after them (RFC 2183).
 * @param disposition inline if the html shows the file
 */
export function attachmentHeaders(
  { filename, contentType, contentId }: StoredAttachment,
  disposition: 'inline' | 'attachment',
): string {
  assertOneLine('Content-Type', contentType);
  assertOneLine('Content-ID', contentId ?? '');
  return (
    fold('Content-Type', contentType.split(/(?<=;) /)) +
    `Content-Transfer-Encoding: base64${CRLF}` +
    fold('Content-Disposition', [`${disposition};`, ...parameter('filename', filename)]) +
    (contentId === null ? '' : `Content-ID: <${contentId}>${CRLF}`) +
    CRLF
  );
}
