import { type RecordEvaluation, verified, wrong } from './sending-domain.js';
import { hasStoredBackslashes, hasStoredQuotes, parseTxtTags, storedBackslashes, storedQuotes } from './txt-tags.js';

type Tags = ReadonlyMap<string, string>;

/**
 * Evaluates a DKIM record as strictly as receivers do (RFC 6376, 3.6.1). Case matters, and the result of publishing
 * more than one record is undefined (3.6.2.2).
 */
export function evaluateDkim(expected: string, values: readonly string[]): RecordEvaluation {
  if (values.length > 1) {
    return wrong(
      `There are ${values.length} TXT records, and receivers may use any of them or none. Keep only this one.`,
    );
  }
  const [value = ''] = values;
  if (hasStoredQuotes(value)) return storedQuotes;
  if (hasStoredBackslashes(value)) return storedBackslashes;
  const list = parseTxtTags(value);
  if ('fault' in list) return wrong(`${list.fault} Paste the value exactly as it is shown here.`);
  const fault = keyFault(list.tags, expected) ?? restrictionFault(list.tags);
  if (fault !== null) return wrong(fault);
  return includes(list.tags.get('t') ?? '', 'y')
    ? { ...verified, message: 'It has t=y (testing), so receivers may treat your mail as unsigned. Remove that tag.' }
    : verified;
}

function keyFault(tags: Tags, expected: string): string | null {
  const ours = parseTxtTags(expected);
  const key = getPublicKey(tags);
  if ('tags' in ours && key === getPublicKey(ours.tags)) return null;
  return key === ''
    ? 'It has no key. Paste the whole value.'
    : 'It has a different key, or only part of this one. Paste the whole value, with all of its strings in one record.';
}

/** The fault in a tag, if any, that keeps receivers from using our key for mail signed with rsa-sha256. */
function restrictionFault(tags: Tags): string | null {
  const version = tags.get('v');
  if (version !== undefined && version !== 'DKIM1') return `It has v=${version}. It must be v=DKIM1.`;
  if (version !== undefined && tags.keys().next().value !== 'v') return 'The tag v=DKIM1 must come first.';
  const kind = tags.get('k') ?? 'rsa';
  if (kind !== 'rsa') return `It has k=${kind}. It must be k=rsa.`;
  if (!includes(tags.get('h') ?? 'sha256', 'sha256')) return 'The h= tag does not include sha256. Remove that tag.';
  if (!includes(tags.get('s') ?? '*', '*', 'email')) return 'The s= tag does not include email. Remove that tag.';
  return null;
}

function includes(list: string, ...anyOf: string[]): boolean {
  return list.split(':').some((item) => anyOf.includes(item.trim()));
}

/** The key in base64, without white space. */
function getPublicKey(tags: Tags): string {
  return (tags.get('p') ?? '').replaceAll(/\s/g, '');
}
