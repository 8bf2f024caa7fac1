import { domainToASCII } from 'node:url';
import { hasHiddenCharacters } from './unsafe-characters.js';

const MAX_NAME = 253;

/** Letters, digits and hyphens of any script: no control, zero-width or bidirectional characters among them. */
const CHARACTERS = /^[\p{L}\p{M}\p{N}.-]+$/u;

const CHARACTERS_FAULT =
  'must be a domain name of letters, digits, hyphens and dots, such as example.com; other characters, also invisible ones, are not allowed';

/**
 * Nearly every name: lower case, no A-label (which holds "--"), no number last that could make it an IP
 * address. All that follows would leave it as it is, and takes ten times as long.
 */
const PLAIN = /^[a-z0-9.-]+\.[a-z]+$/;

/** RFC 1035, 2.3.4 and RFC 5890, 2.3.1 */
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/**
 * The one spelling of a domain that is stored and compared: lower case, A-labels (RFC 5890), no
 * trailing dot. Subdomains are other domains.
 * @returns the name, or what is wrong with the text as the end of a sentence about it
 */
export function toDomainName(text: string): { name: string } | { fault: string } {
  // Before what costs more than linear time; in A-labels a name only grows.
  if (text.length > MAX_NAME + 1) return { fault: `must be at most ${MAX_NAME} characters long` };
  if (PLAIN.test(text) && !text.includes('--')) return checkLabels(text);
  if (!CHARACTERS.test(text) || hasHiddenCharacters(text)) return { fault: CHARACTERS_FAULT };
  if (!isPlainlyWritten(text))
    return { fault: 'must be written in plain letters, not in full-width or other look-alike forms' };
  const typed = text.toLowerCase().replace(/\.$/, '');
  const name = domainToASCII(typed);
  // Also refuses what is rewritten on the way, such as 0x7f.1 to 127.0.0.1.
  const isAscii = /^[\x20-\x7e]*$/.test(typed);
  if (name === '' || (isAscii && name !== typed)) return { fault: 'is not a valid domain name' };
  return checkLabels(name);
}

/**
 * UTS 46 would turn full-width letters, ligatures and the Kelvin sign into the letters they resemble:
 * other texts for one name. Composed and decomposed letters are only two ways to type the same.
 */
function isPlainlyWritten(text: string): boolean {
  return text === text.normalize('NFKC') || text === text.normalize('NFKD');
}

function checkLabels(name: string): { name: string } | { fault: string } {
  const labels = name.split('.');
  if (labels.length < 2) return { fault: 'must be a full domain name with a dot, such as example.com' };
  if (/^\d+$/.test(labels.at(-1) ?? '')) return { fault: 'must be a domain name, not an IP address' };
  if (name.length > MAX_NAME) return { fault: `must be at most ${MAX_NAME} characters long` };
  if (!labels.every((label) => LABEL.test(label))) {
    return { fault: 'must consist of parts of 1 to 63 letters, digits and hyphens, without a hyphen at either end' };
  }
  return { name };
}
