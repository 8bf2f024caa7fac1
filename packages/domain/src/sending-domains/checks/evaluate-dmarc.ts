import { type Evaluation, missing, verified, wrong } from '../domain/finding.js';
import { hasStoredQuotes, storedQuotes } from './stored-quotes.js';
import { readTags } from './tag-list.js';

const POLICIES = ['none', 'quarantine', 'reject'];

/** RFC 7489, 6.4: the version stands first, letter by letter; what begins otherwise is no record. */
const RECORD = /^v[ \t]*=[ \t]*DMARC1[ \t]*(;|$)/;

/** What somebody meant for one. */
const LOOKALIKE = /^[\s"]*v\s*=\s*DMARC1\b|;\s*v\s*=\s*DMARC1\b/i;

/** RFC 7489, 6.3 and 6.6.3: exactly one record, with any policy. */
export function evaluateDmarc(values: readonly string[]): Evaluation {
  const records = values.filter((value) => RECORD.test(value));
  if (records.length > 1) return wrong(`There are ${records.length} DMARC records, which voids all of them; keep one.`);
  const [record] = records;
  return record === undefined ? faultWithout(values) : judgeRecord(record);
}

function faultWithout(values: readonly string[]): Evaluation {
  const meant = values.find((value) => LOOKALIKE.test(value));
  if (meant === undefined) return missing('There is no DMARC record; receivers trust mail less without one.');
  return hasStoredQuotes(meant)
    ? storedQuotes
    : wrong('Receivers pass over a DMARC record that does not begin with v=DMARC1; in capitals.');
}

function judgeRecord(record: string): Evaluation {
  if (hasStoredQuotes(record)) return storedQuotes;
  const list = readTags(record);
  if ('fault' in list) return wrong(list.fault);
  // The names of policies are words of a grammar in which letter case does not count (RFC 5234, 2.3).
  const policy = list.tags.get('p')?.toLowerCase() ?? '';
  return POLICIES.includes(policy) ? verified : wrong('Its tag p= must be none, quarantine or reject.');
}
