import { domainToASCII, domainToUnicode } from 'node:url';
import { formatCount, hasHiddenCharacters } from '@posthorn/platform/values';

const MAX_NAME_CHARACTERS = 253;

/** Letters and digits of any script, hyphens and dots. No control, zero-width or bidirectional characters. */
const CHARACTERS = /^[\p{L}\p{M}\p{N}.-]+$/u;

const CHARACTERS_FAULT =
  'must be a domain name such as example.com, with only letters, digits, hyphens and dots and no invisible characters';

/**
 * Matches nearly every name: those in lower case without a number at the end that could make them IP addresses. The
 * later steps take ten times as long and would not change such a name, unless it has an A-label (which contains "--").
 */
const SIMPLE_NAME = /^[a-z0-9.-]+\.[a-z]+$/;

const A_LABEL = /(^|\.)xn--/;

/** RFC 1035, 2.3.4 and RFC 5890, 2.3.1 */
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/**
 * The form of a domain name that we store and compare: in lower case, with A-labels (RFC 5890) and no trailing dot. A
 * subdomain is a different domain.
 * @returns the name, or a fault that completes a sentence about the domain
 */
export function toDomainName(text: string): { name: string } | { fault: string } {
  // This must come before the steps that take more than linear time. Conversion to A-labels can only make a name
  // longer.
  if (text.length > MAX_NAME_CHARACTERS + 1) return { fault: lengthFault(text) };
  if (SIMPLE_NAME.test(text) && !text.includes('--')) return checkLabels(text);
  if (!CHARACTERS.test(text) || hasHiddenCharacters(text)) return { fault: CHARACTERS_FAULT };
  if (!isNormalized(text))
    return { fault: 'must use plain letters, without full-width or other look-alike characters' };
  const typed = text.toLowerCase().replace(/\.$/, '');
  const name = domainToASCII(typed);
  // Also refuses a name that domainToASCII rewrites, such as 0x7f.1, which becomes 127.0.0.1.
  const isAscii = /^[\x20-\x7e]*$/.test(typed);
  if (name === '' || (isAscii && name !== typed) || !hasValidALabels(name))
    return { fault: 'must be a valid domain name' };
  return checkLabels(name);
}

/**
 * Whether every label that begins with `xn--` is the A-label of another label (RFC 5891, 5.4). Node 24 leaves those that
 * are not as they are, and earlier versions refuse only some of them.
 */
function hasValidALabels(name: string): boolean {
  if (!A_LABEL.test(name)) return true;
  const decoded = domainToUnicode(name);
  return !A_LABEL.test(decoded) && domainToASCII(decoded) === name;
}

/**
 * UTS 46 would map full-width letters, ligatures and the Kelvin sign to the letters they resemble, so different names
 * would become identical. Composed and decomposed letters are both allowed, because they are the same text.
 */
function isNormalized(text: string): boolean {
  return text === text.normalize('NFKC') || text === text.normalize('NFKD');
}

function checkLabels(name: string): { name: string } | { fault: string } {
  const labels = name.split('.');
  if (labels.length < 2) return { fault: 'must be a full domain name with a dot, such as example.com' };
  if (/^\d+$/.test(labels.at(-1) ?? '')) return { fault: 'must be a domain name, not an IP address' };
  if (name.length > MAX_NAME_CHARACTERS) return { fault: lengthFault(name) };
  if (!labels.every((label) => LABEL.test(label))) {
    return { fault: 'must have 1 to 63 letters, digits or hyphens between dots, with no hyphen at either end' };
  }
  return { name };
}

function lengthFault(name: string): string {
  return `has ${formatCount(name.length)} characters; the limit is ${MAX_NAME_CHARACTERS}`;
}
