import type { Dns, DnsAnswer } from '@posthorn/platform/network';
import { findSyntaxFault, isAll, isSpfRecord, normalizeHost, splitTerms } from './spf-record.js';

/** Receivers reject a record that needs more (RFC 7208, 4.6.4). */
const MAX_LOOKUPS = 10;
/** The same section limits the lookups that find nothing, and the hosts of an `mx` term. */
const MAX_VOID_LOOKUPS = 2;
const MAX_MX_HOSTS = 10;

/** The terms for which a receiver asks DNS, with the name in `include:` or `redirect=`. */
const LOOKUP = /^(?:[+?~-]?(?:include:(\S+)|(?:a|mx|ptr|exists)(?:[:/].*)?)|redirect=(\S+))$/i;

/** Those that lead to the hosts of a name; by default, of the name where the record is. */
const HOSTS = /^[+?~-]?(a|mx|exists)(?::([^/]+))?(?:\/.*)?$/i;

function listReadTerms(record: string): string[] {
  const terms = splitTerms(record);
  const all = terms.findIndex(isAll);
  return all === -1 ? terms : terms.slice(0, all).filter((term) => !/^redirect=/i.test(term));
}

type Search = { readonly dns: Dns; readonly ours: string; lookups: number; readonly voids: string[] };

/**
 * Asks DNS as a receiver does, and finds what makes it reject the whole record although each of its terms is right
 * (RFC 7208, 4.6.4 and 5.2). A name whose lookup fails is not a fault.
 * @param name where the record is
 * @param ours the name that the record must include. Only the operator can mend its record
 * @returns a sentence for the owner of the domain, or null
 */
export async function findSpfLookupFault(dns: Dns, name: string, record: string, ours: string): Promise<string | null> {
  return findFault({ dns, ours, lookups: 0, voids: [] }, record, [name]);
}

async function findFault(search: Search, record: string, path: readonly string[]): Promise<string | null> {
  for (const term of listReadTerms(record)) {
    const [found, included, redirected] = LOOKUP.exec(term) ?? [];
    if (found === undefined) continue;
    search.lookups += 1;
    if (search.lookups > MAX_LOOKUPS)
      return `It needs more than ${MAX_LOOKUPS} DNS lookups, so receivers reject it (RFC 7208, 4.6.4). Remove what you do not need, or list IP addresses instead of includes.`;
    const target = included ?? redirected;
    const fault =
      target === undefined
        ? await findHostsFault(search, term, path)
        : await findFaultAt(search, normalizeHost(target), path);
    if (fault !== null) return fault;
  }
  return null;
}

async function findHostsFault(search: Search, term: string, path: readonly string[]): Promise<string | null> {
  const [found, mechanism = '', target = path.at(-1) ?? ''] = HOSTS.exec(term) ?? [];
  if (found === undefined || target.includes('%')) return null;
  const isMx = mechanism.toLowerCase() === 'mx';
  const name = normalizeHost(target);
  const answer: DnsAnswer = await (isMx ? search.dns.mx(name) : search.dns.addresses(name));
  if ('failure' in answer) return null;
  if (isMx && answer.values.length > MAX_MX_HOSTS) {
    const [, included] = path;
    const [its, remove] = included
      ? [`The term with ${included} has a term ${term} that`, included]
      : [`Its term ${term}`, term];
    return `${its} leads to ${answer.values.length} MX hosts; the limit is ${MAX_MX_HOSTS}, so receivers reject the whole record (RFC 7208, 4.6.4). Remove ${remove}.`;
  }
  if (answer.values.length === 0) search.voids.push(name);
  if (search.voids.length <= MAX_VOID_LOOKUPS) return null;
  return `It leads to names without hosts: ${search.voids.join(', ')}. Receivers reject a record with more than ${MAX_VOID_LOOKUPS} of them (RFC 7208, 4.6.4). Remove the terms, or the includes, that lead to them.`;
}

async function findFaultAt(search: Search, name: string, path: readonly string[]): Promise<string | null> {
  if (name.includes('%')) return null;
  const [, included = name] = path;
  if (path.includes(name))
    return `The term with ${included} leads to ${name}, which includes itself, so receivers reject the whole record. Remove that term.`;
  const answer = await search.dns.txt(name);
  if ('failure' in answer) return null;
  const [record, ...others] = answer.values.filter(isSpfRecord);
  const fault = describeRecordFault(record, others.length + 1);
  if (record !== undefined && fault === null) return findFault(search, record, [...path, name]);
  if (name === search.ours) return null;
  return `The term with ${included} leads to ${name}, which has ${fault}, so receivers reject the whole record (RFC 7208, 5.2). Remove that term.`;
}

function describeRecordFault(record: string | undefined, count: number): string | null {
  if (record === undefined) return 'no SPF record';
  if (count > 1) return `${count} SPF records`;
  return findSyntaxFault(splitTerms(record)) === null ? null : 'an SPF record that is not valid';
}
