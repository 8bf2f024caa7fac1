import type { Dns, DnsAnswer } from '@posthorn/platform/network';
import { toStorableText } from '@posthorn/platform/postgres';
import { evaluateDkim } from './dkim-record.js';
import { evaluateDmarc } from './dmarc-record.js';
import type { DnsRecord } from './dns-records.js';
import { toOrganizationalDomain } from './public-suffix.js';
import {
  type Finding,
  type Findings,
  missing,
  notChecked,
  type RecordEvaluation,
  verified,
  wrong,
} from './sending-domain.js';
import { findSpfLookupFault } from './spf-lookups.js';
import { evaluateSpf, isSpfRecord, normalizeHost } from './spf-record.js';

/** Limits how much of a customer's zone ends up in our database and responses. */
const MAX_VALUES_PER_RECORD = 10;
const MAX_VALUE_CHARACTERS = 500;

/**
 * Looks up all records in DNS in parallel.
 * @param before earlier findings. They are kept when a query fails, because a failure does not mean that a record is
 *   gone
 */
export async function checkRecords(dns: Dns, records: readonly DnsRecord[], before: Findings): Promise<Findings> {
  const found = await Promise.all(
    records.map(async (record) => {
      const answer = await query(dns, record);
      const kept = before[record.key] ?? notChecked;
      return [
        record.key,
        'failure' in answer ? { ...kept, failure: answer.failure } : await toFinding(dns, record, answer.values),
      ];
    }),
  );
  return Object.fromEntries(found);
}

function query(dns: Dns, { record, type, name }: DnsRecord): Promise<DnsAnswer> {
  if (type === 'MX') return dns.mx(name);
  if (type === 'CNAME') return dns.cname(name);
  return record === 'dmarc' ? queryDmarc(dns, name) : dns.txt(name);
}

/** If a subdomain has no policy, the policy of the organizational domain applies (RFC 7489, 6.6.3). */
async function queryDmarc(dns: Dns, name: string): Promise<DnsAnswer> {
  const own = await dns.txt(name);
  const inherited = `_dmarc.${toOrganizationalDomain(name.replace(/^_dmarc\./, ''))}`;
  const isFinal = 'failure' in own || evaluateDmarc(own.values).status !== 'missing';
  return isFinal || inherited === name ? own : dns.txt(inherited);
}

async function toFinding(dns: Dns, record: DnsRecord, values: readonly string[]): Promise<Finding> {
  const evaluated = values.length === 0 ? await evaluateMissing(dns, record) : await evaluate(dns, record, values);
  const { status, message } =
    evaluated.status === 'verified' ? evaluated : ((await findMisplaced(dns, record)) ?? evaluated);
  const found = values.slice(0, MAX_VALUES_PER_RECORD).map(shortened);
  return { status, message: message && shortened(message), found, failure: null };
}

async function evaluateMissing(dns: Dns, record: DnsRecord): Promise<RecordEvaluation> {
  const byAddress = record.type === 'CNAME' ? await evaluateAddress(dns, record) : null;
  return byAddress ?? missing(`There is no ${record.type} record at ${record.name}. Add it.`);
}

/** Another name at which the record may be, and why it is there. */
type Misplacement = { readonly name: string; readonly reason: string };

/**
 * Looks for the record under other names. It must be right there, because a wildcard record of the zone answers for
 * each name that does not exist.
 */
async function findMisplaced(dns: Dns, record: DnsRecord): Promise<RecordEvaluation | null> {
  const found = await Promise.all(
    listMisplacements(record).map(async ({ name, reason }) => {
      const answer = await query(dns, { ...record, name });
      if (!('values' in answer) || answer.values.length === 0) return null;
      const { status } = await evaluate(dns, { ...record, name }, answer.values);
      return status === 'verified' ? { name, reason } : null;
    }),
  );
  const first = found.find((each) => each !== null);
  if (first === undefined) return null;
  return missing(
    `There is no such ${record.type} record at ${record.name}, but there is one at ${first.name}: ${first.reason}`,
  );
}

/**
 * Many DNS providers add the zone to a name. A person who enters the whole name then has the zone in it twice, and one
 * who leaves out the zone may leave out the subdomain, too.
 */
function listMisplacements({ record, name }: DnsRecord): Misplacement[] {
  const zones = listZones(name);
  const doubled = zones.map((zone) => ({
    name: `${name}.${zone}`,
    reason: `your DNS provider adds the domain to the name. Enter the name without .${zone}.`,
  }));
  // Other domains may have the same values in their other records.
  if (record !== 'ownership' && record !== 'dkim') return doubled;
  const prefix = /^(?:[^.]*\.)??_[^.]*\./.exec(name)?.[0] ?? '';
  const shorter = zones.flatMap((zone) => [zone, `${prefix}${zone}`]).filter((each) => each !== name);
  const reason =
    'a part of the name is left out. Enter the whole name, or all of it that your DNS provider does not add.';
  return [...doubled, ...shorter.map((each) => ({ name: each, reason }))];
}

/** Real names are in fewer nested zones. Each costs a query. */
const MAX_ZONES = 5;

/** The zones in which a name may be: its organizational domain, and subdomains of it that may have a zone of their own. */
function listZones(name: string): string[] {
  const zones = [toOrganizationalDomain(name)];
  const labels = name.slice(0, -1 - (zones[0] ?? '').length).split('.');
  for (const label of labels.slice(1).reverse()) {
    if (label.startsWith('_') || zones.length === MAX_ZONES) break;
    zones.push(`${label}.${zones.at(-1)}`);
  }
  return zones;
}

async function evaluate(dns: Dns, record: DnsRecord, values: readonly string[]): Promise<RecordEvaluation> {
  const { value } = record;
  switch (record.record) {
    case 'ownership':
      return evaluateOwnership(value, values);
    case 'dkim':
      return evaluateDkim(value, values);
    case 'spf':
      return evaluateSpfWithLookups(dns, record, values);
    case 'return_path_mx':
      return evaluateMx(dns, record, values);
    case 'dmarc':
      return evaluateDmarc(values);
    case 'tracking':
      return evaluateCname(dns, record, values);
    default:
      return record.record satisfies never;
  }
}

function shortened(text: string): string {
  return toStorableText(text.slice(0, MAX_VALUE_CHARACTERS));
}

/**
 * One of the values must be ours. The others may prove ownership of the domain to other workspaces or services. Only we
 * read this record, so case, quotes and white space do not matter.
 */
function evaluateOwnership(expected: string, values: readonly string[]): RecordEvaluation {
  const isFound = values.some((value) => normalized(value) === normalized(expected));
  return isFound
    ? verified
    : wrong(`None of the values at this name is correct. Add a record with the value ${expected}.`);
}

function normalized(text: string): string {
  return text.replaceAll(/[\s"]/g, '').toLowerCase();
}

/**
 * Bounces go to the host with the lowest priority value. If several hosts share that value, bounces go to any of them
 * (RFC 5321, 5.1). A host of the domain's owner counts as ours if it has an address of ours.
 * @param values in the form `<priority> <host>`, lowest priority first
 */
async function evaluateMx(
  dns: Dns,
  { name, value: expected }: DnsRecord,
  values: readonly string[],
): Promise<RecordEvaluation> {
  let wanted: Promise<DnsAnswer> | null = null;
  const isOurHost = async (host: string) => {
    if (host === expected) return true;
    wanted ??= dns.addresses(expected);
    return sharesAddress(await dns.addresses(host), await wanted);
  };
  const hosts = await Promise.all(
    values.slice(0, MAX_VALUES_PER_RECORD).map(async (value) => {
      const [priority = '', given = ''] = value.split(' ');
      const host = normalizeHost(given);
      return { priority: Number(priority), host, isOurs: await isOurHost(host) };
    }),
  );
  const ours = hosts.find(({ isOurs }) => isOurs);
  if (!ours) return describeWrongHost(name, expected, hosts[0]?.host ?? '');
  const others = hosts.filter(({ isOurs }) => !isOurs);
  if (others.some(({ priority }) => priority < ours.priority)) {
    return wrong('Another host comes first. Remove it, or give ours the lowest priority value.');
  }
  return others.some(({ priority }) => priority === ours.priority)
    ? wrong(
        'Another host has the same priority, so it gets some of the bounces. Remove it, or give ours a lower value.',
      )
    : verified;
}

function describeWrongHost(name: string, expected: string, host: string): RecordEvaluation {
  return [...listZones(name), name].some((zone) => host === `${expected}.${zone}`)
    ? wrong(
        `It points to ${host}: your DNS provider adds the domain to the value. Enter the value with a dot at the end: ${expected}.`,
      )
    : wrong(`It points to a different host. Change it to ${expected}.`);
}

function sharesAddress(one: DnsAnswer, other: DnsAnswer): boolean {
  return 'values' in one && 'values' in other && one.values.some((address) => other.values.includes(address));
}

async function evaluateSpfWithLookups(
  dns: Dns,
  { name, value }: DnsRecord,
  values: readonly string[],
): Promise<RecordEvaluation> {
  const evaluated = evaluateSpf(value, values);
  const record = values.find(isSpfRecord);
  if (evaluated.status !== 'verified' || record === undefined) return evaluated;
  const ours = /include:(\S+)/.exec(value)?.[1] ?? '';
  const fault = await findSpfLookupFault(dns, name, record, ours);
  return fault === null ? evaluated : wrong(fault);
}

/** More hops than any zone has. */
const MAX_ALIASES = 8;

/** A name has at most one CNAME record (RFC 1034, 3.6.2). The alias may lead to ours through others. */
async function evaluateCname(dns: Dns, record: DnsRecord, values: readonly string[]): Promise<RecordEvaluation> {
  let [host = ''] = values;
  for (let hops = 0; hops < MAX_ALIASES && normalizeHost(host) !== record.value; hops += 1) {
    const next = await dns.cname(host);
    if (!('values' in next) || next.values[0] === undefined) break;
    [host] = next.values as [string];
  }
  if (normalizeHost(host) === record.value) return verified;
  const byAddress = await evaluateAddress(dns, record);
  return byAddress?.status === 'verified'
    ? byAddress
    : describeWrongHost(record.name, record.value, normalizeHost(values[0] ?? ''));
}

/**
 * Some DNS providers answer with the addresses of the host that an alias leads to (flattening), and some answer with
 * addresses of their own (a proxy).
 * @returns null if the name has no address, or ours cannot be looked up now
 */
async function evaluateAddress(
  dns: Dns,
  { name, value }: Pick<DnsRecord, 'name' | 'value'>,
): Promise<RecordEvaluation | null> {
  const [own, wanted] = await Promise.all([dns.addresses(name), dns.addresses(value)]);
  if (!('values' in own) || own.values.length === 0 || !('values' in wanted)) return null;
  if (sharesAddress(own, wanted)) return verified;
  return wrong(
    `It has the address ${own.values[0]}, which is not an address of ${value}. If your DNS provider uses a proxy (CDN) for this name, turn it off. Otherwise, replace the address with a CNAME record to ${value}.`,
  );
}
