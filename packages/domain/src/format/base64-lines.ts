/** 57 bytes become a line of 76 characters (RFC 2045, 6.8), and CRLF ends it. */
const BYTES_PER_LINE = 57;
const CHARACTERS_PER_LINE = 76;

/**
 * Base64 in lines of 76 characters, each with CRLF. Concatenating strings is much faster than a regular expression or
 * copying line by line.
 * @param bytes if more will follow, a multiple of 57 bytes, which fills whole lines
 */
export function base64Lines(bytes: Buffer): Buffer {
  const text = bytes.toString('base64');
  let lines = '';
  for (let at = 0; at < text.length; at += CHARACTERS_PER_LINE)
    lines += `${text.slice(at, at + CHARACTERS_PER_LINE)}\r\n`;
  return Buffer.from(lines, 'latin1');
}

/** How many bytes an attachment takes up in a message, without its headers. */
export function encodedSize(bytes: number): number {
  const rest = bytes % BYTES_PER_LINE;
  const wholeLines = Math.floor(bytes / BYTES_PER_LINE) * (CHARACTERS_PER_LINE + 2);
  return wholeLines + (rest > 0 ? Math.ceil(rest / 3) * 4 + 2 : 0);
}
