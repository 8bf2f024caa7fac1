import { getDomain, getPublicSuffix } from 'tldts';

/** Suffixes below which people register (`co.uk`), and those of companies whose customers do (`github.io`). */
const OPTIONS = { allowPrivateDomains: true };

/** Whether many unrelated people have names below it; by the Public Suffix List. */
export function isPublicSuffix(name: string): boolean {
  return getPublicSuffix(name, OPTIONS) === name;
}

/** The organizational domain, whose DMARC policy holds for its subdomains too (RFC 7489, 3.2). */
export function organizationalDomain(name: string): string {
  return getDomain(name, OPTIONS) ?? name;
}
