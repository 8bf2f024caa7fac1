import { type Judgment, missing, verified, wrong } from './finding.js';

/**
 * RFC 7208: there is exactly one record (4.5), and it names the platform's before a term that matches
 * everybody (5.1).
 */
export function judgeSpf(wanted: string, values: readonly string[]): Judgment {
  const records = values.map(termsOf).filter(([version]) => version === 'v=spf1');
  if (records.length === 0) return missing('There is no SPF record among the values; add it.');
  if (records.length > 1) return wrong(`There are ${records.length} SPF records, which voids all of them; keep one.`);
  const include = wanted.split(' ').find((term) => term.startsWith('include:')) ?? '';
  const terms = records[0] ?? [];
  const ours = terms.findIndex((term) => term.replace(/^\+/, '').replace(/\.$/, '') === include);
  const all = terms.findIndex((term) => /^[+?~-]?all$/.test(term));
  if (ours === -1) return wrong(`It lacks ${include}; add that in front of the term that ends in "all".`);
  return all !== -1 && all < ours
    ? wrong(`Put ${include} in front of ${terms[all]}, after which nothing counts.`)
    : verified;
}

function termsOf(value: string): string[] {
  return value.toLowerCase().split(/\s+/).filter(Boolean);
}
