/**
 * A header field in the relaxed form that is signed (RFC 6376, 3.4.2): the name in lower case, folds
 * undone, blanks within made one space and those around taken away.
 * @param field as it stands in the message, without the CRLF that ends it
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
