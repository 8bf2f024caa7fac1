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
import { evaluateSpf } from './spf-record.js';

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
        'failure' in answer ? { ...kept, failure: answer.failure } : toFinding(record, answer.values),
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

function toFinding(record: DnsRecord, values: readonly string[]): Finding {
  const { status, message } =
    values.length === 0
      ? missing(`There is no ${record.type} record at ${record.name}. Add it.`)
      : evaluate(record, values);
  const found = values.slice(0, MAX_VALUES_PER_RECORD).map(shortened);
  return { status, message: message && shortened(message), found, failure: null };
}

function evaluate({ record, value }: DnsRecord, values: readonly string[]): RecordEvaluation {
  switch (record) {
    case 'ownership':
      return evaluateOwnership(value, values);
    case 'dkim':
      return evaluateDkim(value, values);
    case 'spf':
      return evaluateSpf(value, values);
    case 'return_path_mx':
      return evaluateMx(value, values);
    case 'dmarc':
      return evaluateDmarc(values);
    case 'tracking':
      return evaluateCname(value, values);
    default:
      return record satisfies never;
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
 * (RFC 5321, 5.1).
 * @param values in the form `<priority> <host>`, lowest priority first
 */
function evaluateMx(expected: string, values: readonly string[]): RecordEvaluation {
  const hosts = values.map((value) => {
    const [priority = '', host = ''] = value.split(' ');
    return { priority: Number(priority), host: host.toLowerCase().replace(/\.$/, '') };
  });
  const ours = hosts.find(({ host }) => host === expected);
  if (!ours) return wrong(`It points to a different host. Change it to ${expected}.`);
  const others = hosts.filter(({ host }) => host !== expected);
  if (others.some(({ priority }) => priority < ours.priority)) {
    return wrong('Another host comes first. Remove it, or give ours the lowest priority value.');
  }
  return others.some(({ priority }) => priority === ours.priority)
    ? wrong(
        'Another host has the same priority, so it gets some of the bounces. Remove it, or give ours a lower value.',
      )
    : verified;
}

/** A name has at most one CNAME record (RFC 1034, 3.6.2). */
function evaluateCname(expected: string, values: readonly string[]): RecordEvaluation {
  const isOurs = values.some((host) => host.toLowerCase().replace(/\.$/, '') === expected);
  return isOurs ? verified : wrong(`It points to a different host. Change it to ${expected}.`);
}
