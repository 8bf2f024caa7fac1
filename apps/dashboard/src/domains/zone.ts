import type { DomainRecord } from '@posthorn/contract';

/** Zones that may contain the domain's records: its own and those of its parent domains. */
export function listZones(domain: string): string[] {
  const labels = domain.split('.');
  return labels.slice(0, -1).map((_, start) => labels.slice(start).join('.'));
}

/**
 * Guesses that the zone is the topmost parent domain, because most subdomains have no zone of their own. Suffixes such
 * as `co.uk` are skipped. The user can choose another zone.
 */
export function guessZone(domain: string): string {
  const [own = domain, ...above] = listZones(domain);
  return above.findLast((zone) => !/^[a-z]{2,3}\.[a-z]{2}$/.test(zone)) ?? own;
}

/** The full name without the zone: `_posthorn.acme.example` in `acme.example` gives `_posthorn`. */
export function toHost(zone: string, name: string): string {
  return name.slice(0, -zone.length - 1);
}

/** RFC 1035, section 5.1: one line per record. */
export function writeZoneFile(records: readonly DomainRecord[]): string {
  return records.map(writeZoneLine).join('\n');
}

/** The format of TXT values in zone files and Route 53. */
export function quoteStrings(strings: readonly string[]): string {
  return strings.map((text) => `"${text}"`).join(' ');
}

function writeZoneLine({ type, name, value, value_split: strings = [value], ttl, priority }: DomainRecord): string {
  const data = {
    TXT: quoteStrings(strings),
    MX: `${priority} ${value}.`,
    CNAME: `${value}.`,
  };
  return `${name}. ${ttl} IN ${type} ${data[type]}`;
}
