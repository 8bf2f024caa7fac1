import { CRLF } from './header.js';

/** RFC 5322, 3.3, in UTC: `Date: Sat, 21 Nov 2026 08:00:00 +0000`. @throws RangeError for an invalid date */
export function dateHeader(date: Date): string {
  if (Number.isNaN(date.getTime())) throw new RangeError('Date must be a valid date');
  // ECMA-262 (section 21.4.4.43) specifies this format, except that it uses the obsolete zone name GMT.
  return `Date: ${date.toUTCString().replace('GMT', '+0000')}${CRLF}`;
}
