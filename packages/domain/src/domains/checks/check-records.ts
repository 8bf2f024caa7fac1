import { storableText } from '@posthorn/platform/postgres';
import { type Finding, type Findings, missing, notChecked, type RateEvaluation } from '../domain/finding.js';
import { organizationalDomain } from '../domain/public-suffix.js';
import type { DnsRecord } from '../records/dns-records.js';
import type { Dns, DnsAnswer } from './dns.js';
import { evaluateCname } from './evaluate-cname.js';
import { evaluateDkim } from './evaluate-dkim.js';
import { evaluateDmarc } from './evaluate-dmarc.js';
import { evaluateMx } from './evaluate-mx.js';
import { evaluateOwnership } from './evaluate-ownership.js';
import { evaluateSpf } from './evaluate-spf.js';

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
  const inherited = `_dmarc.${organizationalDomain(name.replace(/^_dmarc\./, ''))}`;
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

function evaluate({ record, value }: DnsRecord, values: readonly string[]): RateEvaluation {
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
  return storableText(text.slice(0, MAX_VALUE_CHARACTERS));
}
