import { type Judgment, verified, wrong } from './finding.js';
import { readTags } from './tag-list.js';

/** RFC 6376, 3.6.1: any of the values may be our key, as long as it allows what we do with it. */
export function judgeDkim(wanted: string, values: readonly string[]): Judgment {
  const ours = values.map(readTags).filter((tags) => keyOf(tags) === keyOf(readTags(wanted)));
  if (ours.length === 0) return wrong(faultWithoutKey(values));
  const faults = ours.map(faultOf);
  return faults.includes(null) ? verified : wrong(faults[0] ?? '');
}

function faultWithoutKey(values: readonly string[]): string {
  const isCut = values.map(readTags).some((tags) => (tags.get('p') ?? '').length > 0);
  return isCut
    ? 'There is another key, or only a part of this one; paste the whole value, all of its strings in one record.'
    : 'There is no key in it; paste the whole value.';
}

/** What keeps our key from being used for mail signed by rsa-sha256. */
function faultOf(tags: ReadonlyMap<string, string>): string | null {
  const version = tags.get('v') ?? 'DKIM1';
  if (version.toUpperCase() !== 'DKIM1') return `It says v=${version}; it must be v=DKIM1.`;
  const kind = tags.get('k') ?? 'rsa';
  if (kind.toLowerCase() !== 'rsa') return `It says k=${kind}; it must be k=rsa.`;
  if (!lists(tags.get('h') ?? 'sha256', 'sha256')) return 'Its tag h= leaves out sha256; remove that tag.';
  if (!lists(tags.get('s') ?? '*', '*', 'email')) return 'Its tag s= leaves out email; remove that tag.';
  return null;
}

function lists(text: string, ...any: string[]): boolean {
  return text.split(':').some((item) => any.includes(item.trim().toLowerCase()));
}

/** Base64, in which letter case counts and white space does not. */
function keyOf(tags: ReadonlyMap<string, string>): string {
  return (tags.get('p') ?? '').replaceAll(/[\s"]/g, '');
}
