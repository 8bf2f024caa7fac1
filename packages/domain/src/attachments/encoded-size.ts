/** 57 bytes become a line of 76 characters (RFC 2045, 6.8) and CRLF. */
const BYTES_PER_LINE = 57;
const CHARACTERS_PER_LINE = 78;

/** How many bytes an attachment takes in a message, without its headers. */
export function encodedSize(bytes: number): number {
  const rest = bytes % BYTES_PER_LINE;
  return Math.floor(bytes / BYTES_PER_LINE) * CHARACTERS_PER_LINE + (rest > 0 ? Math.ceil(rest / 3) * 4 + 2 : 0);
}
