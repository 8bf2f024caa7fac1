import type { Dns } from '@posthorn/platform/network';
import { isSpfRecord, normalizeSpfName } from './spf-record.js';

/** Receivers reject a record that needs more (RFC 7208, 4.6.4). */
const MAX_LOOKUPS = 10;

/** The terms for which a receiver asks DNS, with the name after the colon. */
const LOOKUP = /^[+?~-]?(?:(include):(\S+)|(redirect)=(\S+)|(?:a|mx|ptr|exists)(?:[:/].*)?)$/i;

type Search = { readonly dns: Dns; readonly ours: string; lookups: number };

/**
 * Asks DNS as a receiver does, and finds what makes it reject the whole record although each of its terms is right
 * (RFC 7208, 4.6.4 and 5.2). A name that cannot be asked now is no fault.
 * @param name where the record is
 * @param ours the name that the record must include. Its record is the operator's affair
 * @returns a sentence for the owner of the domain, or null
 */
export async function findSpfLookupFault(dns: Dns, name: string, record: string, ours: string): Promise<string | null> {
  return findFault({ dns, ours, lookups: 0 }, record, [name]);
}

async function findFault(search: Search, record: string, path: readonly string[]): Promise<string | null> {
  for (const term of record.split(' ').slice(1)) {
    const [found, , included, , redirected] = LOOKUP.exec(term) ?? [];
    if (found === undefined) continue;
    search.lookups += 1;
    if (search.lookups > MAX_LOOKUPS)
      return `It needs more than ${MAX_LOOKUPS} DNS lookups, so receivers reject it (RFC 7208, 4.6.4). Remove what you do not need, or list IP addresses instead of includes.`;
    const target = included ?? redirected;
    const fault = target === undefined ? null : await findFaultAt(search, normalizeSpfName(target), path);
    if (fault !== null) return fault;
  }
  return null;
}

async function findFaultAt(search: Search, name: string, path: readonly string[]): Promise<string | null> {
  if (name.includes('%')) return null;
  if (path.includes(name)) return `It includes ${name}, which includes itself, so receivers reject it. Remove that.`;
  const answer = await search.dns.txt(name);
  if ('failure' in answer) return null;
  const record = answer.values.find(isSpfRecord);
  if (record !== undefined) return findFault(search, record, [...path, name]);
  if (name === search.ours) return null;
  return `It includes ${name}, which has no SPF record, so receivers reject it (RFC 7208, 5.2). Remove that.`;
}
