/** RFC 1035, 3.3.14: a TXT record is a row of strings, each at most this long. */
const MAX_STRING_BYTES = 255;

/** The strings that a zone file needs for a TXT value of ASCII; who reads the record joins them. */
export function splitText(value: string): string[] {
  return value.match(new RegExp(`.{1,${MAX_STRING_BYTES}}`, 'g')) ?? [''];
}
