/**
 * Canonicalizes a header field for signing with the relaxed algorithm (RFC 6376, 3.4.2): lower-case name, unfolded
 * value, runs of blanks replaced by one space, no blanks around the value.
 * @param field as in the message, without its final CRLF
 */
export function relaxedHeader(field: string): string {
  const colon = field.indexOf(':');
  const value = field.slice(colon + 1).replace(/[ \t\r\n]+/g, ' ');
  return `${nameOf(field)}:${value.replace(/^ | $/g, '')}`;
}

/** The name of a header field, in lower case. */
export function nameOf(field: string): string {
  return field.slice(0, field.indexOf(':')).trimEnd().toLowerCase();
}
