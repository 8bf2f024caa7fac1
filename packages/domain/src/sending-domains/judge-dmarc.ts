import { type Judgment, missing, verified, wrong } from './finding.js';
import { readTags } from './tag-list.js';

const POLICIES = ['none', 'quarantine', 'reject'];

/** RFC 7489, 6.3 and 6.6.3: exactly one record, whose first tag is the version, with any policy. */
export function judgeDmarc(values: readonly string[]): Judgment {
  const records = values.filter((value) => /^\s*v\s*=\s*DMARC1\s*(;|$)/i.test(value)).map(readTags);
  if (records.length === 0) return missing('There is no DMARC record; receivers trust mail less without one.');
  if (records.length > 1) return wrong(`There are ${records.length} DMARC records, which voids all of them; keep one.`);
  const policy = records[0]?.get('p')?.toLowerCase() ?? '';
  return POLICIES.includes(policy) ? verified : wrong('Its tag p= must be none, quarantine or reject.');
}
