import { randomInt } from 'node:crypto';

const MAX_SLUG_CHARACTERS = 40;
const SUFFIX_DIGITS = 6;
const DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Local parts that mean a role to mail systems (RFC 2142), the service itself, or would mislead. */
const RESERVED = new Set([
  'abuse',
  'admin',
  'administrator',
  'b',
  'billing',
  'bounce',
  'bounces',
  'hostmaster',
  'info',
  'mailer-daemon',
  'no-reply',
  'noc',
  'noreply',
  'postmaster',
  'root',
  'security',
  'support',
  'webmaster',
]);

/**
 * A workspace's slug, the local part of its platform sender: `Café Zoë & Co.` -> `cafe-zoe-co`.
 * Two names may have the same one; see `withSuffix`.
 */
export function slugOf(name: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-');
  const slug = trimHyphens(trimHyphens(words).slice(0, MAX_SLUG_CHARACTERS));
  if (slug === '') return withSuffix('workspace');
  return RESERVED.has(slug) ? withSuffix(slug) : slug;
}

/** The slug with a random ending, for one that is taken. */
export function withSuffix(slug: string): string {
  const suffix = Array.from({ length: SUFFIX_DIGITS }, () => DIGITS.charAt(randomInt(DIGITS.length))).join('');
  return `${trimHyphens(slug.slice(0, MAX_SLUG_CHARACTERS - SUFFIX_DIGITS - 1))}-${suffix}`;
}

function trimHyphens(text: string): string {
  return text.replaceAll(/^-+|-+$/g, '');
}
