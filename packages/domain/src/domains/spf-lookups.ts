import type { Dns } from '@posthorn/platform/network';
import { isAll, isSpfRecord, normalizeHost } from './spf-record.js';

/** Receivers reject a record that needs more (RFC 7208, 4.6.4). */
const MAX_LOOKUPS = 10;

/** The terms for which a receiver asks DNS, with the name in `include:` or `redirect=`. */
const LOOKUP = /^(?:[+?~-]?(?:include:(\S+)|(?:a|mx|ptr|exists)(?:[:/].*)?)|redirect=(\S+))$/i;

function listReadTerms(record: string): string[] {
  const terms = record.split(' ').slice(1);
  const all = terms.findIndex(isAll);
  return all === -1 ? terms : terms.slice(0, all).filter((term) => !/^redirect=/i.test(term));
}

type Search = { readonly dns: Dns; readonly ours: string; lookups: number };

/**
 * Asks DNS as a receiver does, and finds what makes it reject the whole record although each of its terms is right
 * (RFC 7208, 4.6.4 and 5.2). A name whose lookup fails is not a fault.
 * @param name where the record is
 * @param ours the name that the record must include. Only the operator can mend its record
 * @returns a sentence for the owner of the domain, or null
 */
export async function findSpfLookupFault(dns: Dns, name: string, record: string, ours: string): Promise<string | null> {
  return findFault({ dns, ours, lookups: 0 }, record, [name]);
}

async function findFault(search: Search, record: string, path: readonly string[]): Promise<string | null> {
  for (const term of listReadTerms(record)) {
    const [found, included, redirected] = LOOKUP.exec(term) ?? [];
    if (found === undefined) continue;
    search.lookups += 1;
    if (search.lookups > MAX_LOOKUPS)
      return `It needs more than ${MAX_LOOKUPS} DNS lookups, so receivers reject it (RFC 7208, 4.6.4). Remove what you do not need, or list IP addresses instead of includes.`;
    const target = included ?? redirected;
    const fault = target === undefined ? null : await findFaultAt(search, normalizeHost(target), path);
    if (fault !== null) return fault;
  }
  return null;
}

async function findFaultAt(search: Search, name: string, path: readonly string[]): Promise<string | null> {
  if (name.includes('%')) return null;
  const [, included = name] = path;
  if (path.includes(name))
    return `The term with ${included} leads to ${name}, which includes itself, so receivers reject the whole record. Remove that term.`;
  const answer = await search.dns.txt(name);
  if ('failure' in answer) return null;
  const record = answer.values.find(isSpfRecord);
  if (record !== undefined) return findFault(search, record, [...path, name]);
  if (name === search.ours) return null;
  return `The term with ${included} leads to ${name}, which has no SPF record, so receivers reject the whole record (RFC 7208, 5.2). Remove that term.`;
}
