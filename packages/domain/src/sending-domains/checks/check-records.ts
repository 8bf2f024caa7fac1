import { type Finding, type Findings, type Judgment, missing, notAsked } from '../domain/finding.js';
import { organizationalDomain } from '../domain/public-suffix.js';
import type { DnsRecord } from '../records/dns-records.js';
import type { Dns, DnsAnswer } from './dns.js';
import { judgeDkim } from './evaluate-dkim.js';
import { judgeDmarc } from './evaluate-dmarc.js';
import { judgeMx } from './evaluate-mx.js';
import { judgeOwnership } from './evaluate-ownership.js';
import { judgeSpf } from './evaluate-spf.js';

/** What a foreign zone may put into our database and answers. */
const MOST_FOUND = 10;
const MOST_CHARACTERS = 500;

/**
 * Asks DNS for every record, all at once.
 * @param before what is kept where DNS cannot be asked: that is no sign that a record is gone
 */
export async function checkRecords(dns: Dns, records: readonly DnsRecord[], before: Findings): Promise<Findings> {
  const found = await Promise.all(
    records.map(async (record) => {
      const answer = await ask(dns, record);
      const kept = before[record.key] ?? notAsked;
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
  const isThere = 'failure' in own || judgeDmarc(own.values).status !== 'missing';
  return isThere || above === name ? own : dns.txt(above);
}

function judge(record: DnsRecord, values: readonly string[]): Finding {
  const { status, message } =
    values.length === 0 ? missing(`DNS has no ${record.type} record at ${record.name}.`) : judgmentOf(record, values);
  const found = values.slice(0, MOST_FOUND).map(storable);
  return { status, message: message && storable(message), found, failure: null };
}

function judgmentOf({ record, value }: DnsRecord, values: readonly string[]): Judgment {
  switch (record) {
    case 'ownership':
      return judgeOwnership(value, values);
    case 'dkim':
      return judgeDkim(value, values);
    case 'spf':
      return judgeSpf(value, values);
    case 'return_path_mx':
      return judgeMx(value, values);
    case 'dmarc':
      return judgeDmarc(values);
    default:
      return record satisfies never;
  }
}

/** Postgres holds neither U+0000 nor half of a surrogate pair. */
function storable(text: string): string {
  return text.slice(0, MOST_CHARACTERS).replaceAll('\0', '').toWellFormed();
}
