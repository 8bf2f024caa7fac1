import type { DomainRecord } from '@posthorn/contract';

/** RFC 1035, 5.1: one line for each record. */
export function zoneFile(records: readonly DomainRecord[]): string {
  return records.map(zoneLine).join('\n');
}

/** The strings of a TXT record, as zone files and Route 53 have them. */
export function quotedStrings(strings: readonly string[]): string {
  return strings.map((text) => `"${text}"`).join(' ');
}

function zoneLine({ type, name, value, value_split: strings = [value], ttl, priority }: DomainRecord): string {
  return `${name}. ${ttl} IN ${type} ${type === 'MX' ? `${priority} ${value}.` : quotedStrings(strings)}`;
}
