import { randomInt } from 'node:crypto';

const MAX_SLUG_CHARACTERS = 40;
const SUFFIX_DIGITS = 6;
const DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/**
 * A workspace's slug, the local part of its platform sender: `Café Zoë & Co.` -> `cafe-zoe-co`. If the slug would be
 * empty or misleading, it is `workspace` with a suffix instead. Two names can have the same slug; see `withSuffix`.
 */
export function toSlug(name: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-');
  const slug = trimHyphens(trimHyphens(words).slice(0, MAX_SLUG_CHARACTERS));
  return slug === '' || isReservedSlug(slug) ? withSuffix('workspace') : slug;
}

/** Adds a random suffix to a slug that is already taken. */
export function withSuffix(slug: string): string {
  const suffix = Array.from({ length: SUFFIX_DIGITS }, () => DIGITS.charAt(randomInt(DIGITS.length))).join('');
  return `${trimHyphens(slug.slice(0, MAX_SLUG_CHARACTERS - SUFFIX_DIGITS - 1))}-${suffix}`;
}

function trimHyphens(text: string): string {
  return text.replaceAll(/^-+|-+$/g, '');
}

/**
 * Local parts at the platform domain that no workspace may have, in lower case and without hyphens. Mail from such an
 * address would seem to come from the operator. Mail to it is meant for a role that servers, certificate authorities or
 * people trust.
 */
const reserved: ReadonlyArray<{ readonly source: string; readonly names: string }> = [
  {
    source: 'RFC 2142, 3 to 5, and "trouble" from its section 1',
    names:
      'info marketing sales support abuse noc security trouble postmaster hostmaster usenet news webmaster www uucp ftp',
  },
  {
    source: 'CA/Browser Forum Baseline Requirements, 3.2.2.4.4: addresses that prove control of a domain',
    names: 'admin administrator webmaster hostmaster postmaster',
  },
  {
    source: 'CERT/CC VU#591120: other addresses that certificate authorities have accepted',
    names: 'root sysadmin info is it mis ssladmin ssladministrator sslwebmaster',
  },
  {
    source: 'RFC 5321, 4.5.1 (postmaster), and the names that mail systems send from',
    names: 'postmaster mailerdaemon bounce bounces returnpath noreply donotreply nobody daemon',
  },
  {
    source: 'DMARC (RFC 7489), TLSRPT (RFC 8460) and ARF (RFC 5965): addresses that receive reports',
    names: 'dmarc dmarcreports tlsrpt tlsreports fbl arf feedback complaints',
  },
  {
    source: 'RFC 6186, RFC 8461 and common host names: services of a mail domain',
    names: 'mail webmail email smtp imap pop mx autoconfig autodiscover mtasts dkim spf',
  },
  {
    source: 'packages/domain/src/domains/return-path.ts: return paths begin with it',
    names: 'b',
  },
  {
    source: 'the service and the people who run it',
    names:
      'posthorn account accounts billing payment payments invoice invoices login password verify verification notification notifications alert alerts service services system team staff help helpdesk contact legal privacy compliance unsubscribe status',
  },
];

const names = new Set(reserved.flatMap(({ names }) => names.split(' ')));

/**
 * Also true for a reserved name with hyphens in it (`post-master`), and for a slug made of reserved names
 * (`billing-support`).
 */
function isReservedSlug(slug: string): boolean {
  return names.has(slug.replaceAll('-', '')) || slug.split('-').every((word) => names.has(word));
}
