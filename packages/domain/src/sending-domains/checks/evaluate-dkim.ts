import { type Evaluation, verified, wrong } from '../domain/finding.js';
import { hasStoredQuotes, storedQuotes } from './stored-quotes.js';
import { readTags } from './tag-list.js';

type Tags = ReadonlyMap<string, string>;

/**
 * As strictly as a receiver reads it (RFC 6376, 3.6.1): letter case counts, and what more than one
 * record means is left open (3.6.2.2).
 */
export function evaluateDkim(wanted: string, values: readonly string[]): Evaluation {
  if (values.length > 1) {
    return wrong(
      `There are ${values.length} TXT records, of which receivers may take any or none; keep this one alone.`,
    );
  }
  const [value = ''] = values;
  if (hasStoredQuotes(value)) return storedQuotes;
  const list = readTags(value);
  if ('fault' in list) return wrong(`${list.fault} Paste the value as it is here.`);
  const fault = keyFault(list.tags, wanted) ?? useFault(list.tags);
  if (fault !== null) return wrong(fault);
  return lists(list.tags.get('t') ?? '', 'y')
    ? { ...verified, message: 'It says t=y (testing), with which receivers may treat mail as unsigned; remove that.' }
    : verified;
}

function keyFault(tags: Tags, wanted: string): string | null {
  const ours = readTags(wanted);
  const key = keyOf(tags);
  if ('tags' in ours && key === keyOf(ours.tags)) return null;
  return key === ''
    ? 'There is no key in it; paste the whole value.'
    : 'There is another key, or only a part of this one; paste the whole value, all of its strings in one record.';
}

/** What keeps our key from being used for mail signed by rsa-sha256. */
function useFault(tags: Tags): string | null {
  const version = tags.get('v');
  if (version !== undefined && version !== 'DKIM1') return `It says v=${version}; it must be v=DKIM1.`;
  if (version !== undefined && tags.keys().next().value !== 'v') return 'The tag v=DKIM1 must come first.';
  const kind = tags.get('k') ?? 'rsa';
  if (kind !== 'rsa') return `It says k=${kind}; it must be k=rsa.`;
  if (!lists(tags.get('h') ?? 'sha256', 'sha256')) return 'Its tag h= leaves out sha256; remove that tag.';
  if (!lists(tags.get('s') ?? '*', '*', 'email')) return 'Its tag s= leaves out email; remove that tag.';
  return null;
}

function lists(text: string, ...any: string[]): boolean {
  return text.split(':').some((item) => any.includes(item.trim()));
}

/** Base64, within which white space does not count. */
function keyOf(tags: Tags): string {
  return (tags.get('p') ?? '').replaceAll(/\s/g, '');
}
