import { domainToASCII } from 'node:url';

/** Only names that mail can have; DNS itself allows any byte. IP addresses are not names. */
const HOST_NAME = /^(?!(?:.*\.)?\d+$)[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

/** @returns the name in lower case, with A-labels and without a dot at the end, or null if it is not a host name */
export function toHostName(text: string): string | null {
  const name = domainToASCII(text).toLowerCase().replace(/\.$/, '');
  return HOST_NAME.test(name) ? name : null;
}
