import { storableText } from '../../database/storable-text.js';
import { type Evaluation, type Finding, type Findings, missing, notChecked } from '../domain/finding.js';
import { organizationalDomain } from '../domain/public-suffix.js';
import type { DnsRecord } from '../records/dns-records.js';
import type { Dns, DnsAnswer } from './dns.js';
import { evaluateDkim } from './evaluate-dkim.js';
import { evaluateDmarc } from './evaluate-dmarc.js';
import { evaluateMx } from './evaluate-mx.js';
import { evaluateOwnership } from './evaluate-ownership.js';
import { evaluateSpf } from './evaluate-spf.js';

/** How much of a foreign zone goes into our database and responses. */
const MAX_VALUES = 10;
const MAX_VALUE_CHARACTERS = 500;

/**
 * Asks DNS for every record, all at once.
 * @param before what is kept where DNS cannot be asked: that is no sign that a record is gone
 */
export async function checkRecords(dns: Dns, records: readonly DnsRecord[], before: Findings): Promise<Findings> {
  const found = await Promise.all(
    records.map(async (record) => {
      const answer = await ask(dns, record);
      const kept = before[record.key] ?? notChecked;
      return [record.key, 'failure' in answer ? { ...kept, failure: answer.failure } : judge(record, answer.values)];
    }),
  );
  return Object.fromEntries(found);
}

function ask(dns: Dns, { record, type, name }: DnsRecord): Promise<DnsAnswer> {
  if (type === 'MX') return dns.mx(name);
  return record === 'dmarc' ? askDmarc(dns, name) : dns.txt(name);
}

/** RFC 7489, 6.6.3: where a subdomain has no policy, that of the organizational domain holds. */
async function askDmarc(dns: Dns, name: string): Promise<DnsAnswer> {
  const own = await dns.txt(name);
  const above = `_dmarc.${organizationalDomain(name.replace(/^_dmarc\./, ''))}`;
  const isThere = 'failure' in own || evaluateDmarc(own.values).status !== 'missing';
  return isThere || above === name ? own : dns.txt(above);
}

function judge(record: DnsRecord, values: readonly string[]): Finding {
  const { status, message } =
    values.length === 0 ? missing(`DNS has no ${record.type} record at ${record.name}.`) : evaluationOf(record, values);
  const found = values.slice(0, MAX_VALUES).map(shortened);
  return { status, message: message && shortened(message), found, failure: null };
}

function evaluationOf({ record, value }: DnsRecord, values: readonly string[]): Evaluation {
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
    default:
      return record satisfies never;
  }
}

function shortened(text: string): string {
  return storableText(text.slice(0, MAX_VALUE_CHARACTERS));
}
