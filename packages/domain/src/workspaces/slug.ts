import { randomInt } from 'node:crypto';
import { isReservedSlug } from './reserved-slugs.js';

const MAX_SLUG_CHARACTERS = 40;
const SUFFIX_DIGITS = 6;
const DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/**
 * A workspace's slug, the local part of its platform sender: `Café Zoë & Co.` -> `cafe-zoe-co`. If the slug would be
 * empty or misleading, it is `workspace` with a suffix instead. Two names can have the same slug; see `withSuffix`.
 */
export function slugOf(name: string): string {
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
