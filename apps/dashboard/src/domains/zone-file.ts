import type { DomainRecord } from '@posthorn/contract';

/** RFC 1035, section 5.1: one line per record. */
export function zoneFile(records: readonly DomainRecord[]): string {
  return records.map(zoneLine).join('\n');
}

/** The format of TXT values in zone files and Route 53. */
export function quotedStrings(strings: readonly string[]): string {
  return strings.map((text) => `"${text}"`).join(' ');
}

function zoneLine({ type, name, value, value_split: strings = [value], ttl, priority }: DomainRecord): string {
  const data = {
    TXT: quotedStrings(strings),
    MX: `${priority} ${value}.`,
    CNAME: `${value}.`,
  };
  return `${name}. ${ttl} IN ${type} ${data[type]}`;
}
