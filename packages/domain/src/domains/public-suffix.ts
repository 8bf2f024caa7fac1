import { getDomain, getPublicSuffix } from 'tldts';

/**
 * Includes suffixes under which a company's customers get names, such as `github.io`, and not only those like `co.uk`.
 */
const OPTIONS = { allowPrivateDomains: true };

/** Whether names below this one belong to unrelated owners, according to the Public Suffix List. */
export function isPublicSuffix(name: string): boolean {
  return getPublicSuffix(name, OPTIONS) === name;
}

/** The domain that somebody registered. Names that a company gives away, such as `jane.github.io`, are not counted apart. */
export function toRegisteredDomain(name: string): string {
  return getDomain(name) ?? name;
}

/** The organizational domain, whose DMARC policy also applies to its subdomains (RFC 7489, 3.2). */
export function toOrganizationalDomain(name: string): string {
  return getDomain(name, OPTIONS) ?? name;
}
