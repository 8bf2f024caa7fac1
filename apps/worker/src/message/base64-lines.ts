/** RFC 2045, 6.8 */
const LINE = /.{1,76}/g;

/**
 * Base64 in lines of 76 characters, each with CRLF.
 * @param bytes if more will follow, a multiple of 57 bytes, which fills whole lines
 */
export function base64Lines(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('base64').replace(LINE, '$&\r\n'), 'latin1');
}
