import { isIP } from 'node:net';

const TTL_SECONDS = 60;
const MAX_STRING_BYTES = 255;
const MAX_ALIASES = 8;

/** `silence` means that the server does not answer. */
export type Fault = 'SERVFAIL' | 'REFUSED' | 'silence';

export type ZoneAnswer = { name: string; type: 'TXT' | 'MX' | 'CNAME' | 'A' | 'AAAA'; ttl: number; data: unknown };

/**
 * The records of a DNS server. Setting the records for a name and type replaces the earlier ones; passing no records
 * removes them.
 */
export type DnsZone = {
  /** A value is a list of strings, or text that is split into strings if it is long. */
  txt(name: string, ...values: Array<string | readonly string[]>): void;
  mx(name: string, ...hosts: Array<{ priority: number; host: string }>): void;
  cname(name: string, target: string): void;
  /** Sets the A and AAAA records. */
  addresses(name: string, ...addresses: string[]): void;
  /** Makes every question about this name fail until `heal` is called. */
  fail(name: string, fault: Fault): void;
  /** Makes every question fail until `heal` is called. */
  failAll(fault: Fault): void;
  heal(): void;
  clear(): void;
  /** Answers a question, and follows CNAME records like a resolver. */
  lookUp(name: string, type: string): ZoneAnswer[] | Fault | 'NXDOMAIN';
};

export function dnsZone(): DnsZone {
  const records = new Map<string, ZoneAnswer[]>();
  const faults = new Map<string, Fault>();
  let serverFault: Fault | null = null;

  function put(name: string, type: ZoneAnswer['type'], data: readonly unknown[]): void {
    const key = name.toLowerCase();
    const others = (records.get(key) ?? []).filter((record) => record.type !== type);
    const fresh = data.map((value) => ({ name: key, type, ttl: TTL_SECONDS, data: value }));
    if (others.length + fresh.length === 0) records.delete(key);
    else records.set(key, [...others, ...fresh]);
  }

  return {
    ...recordSetters(put),
    fail: (name, fault) => faults.set(name.toLowerCase(), fault),
    failAll(fault) {
      serverFault = fault;
    },
    heal() {
      serverFault = null;
      faults.clear();
    },
    clear() {
      records.clear();
    },
    lookUp: (name, type) =>
      lookUp(
        { records, faultOf: (at) => serverFault ?? faults.get(at) },
        { name: name.toLowerCase(), type, aliases: MAX_ALIASES },
      ),
  };
}

type Put = (name: string, type: ZoneAnswer['type'], data: readonly unknown[]) => void;

function recordSetters(put: Put): Pick<DnsZone, 'txt' | 'mx' | 'cname' | 'addresses'> {
  return {
    txt: (name, ...values) => put(name, 'TXT', values.map(toStrings)),
    mx: (name, ...hosts) =>
      put(
        name,
        'MX',
        hosts.map(({ priority, host }) => ({ preference: priority, exchange: host })),
      ),
    cname: (name, target) => put(name, 'CNAME', [target]),
    addresses(name, ...addresses) {
      put(
        name,
        'A',
        addresses.filter((address) => isIP(address) === 4),
      );
      put(
        name,
        'AAAA',
        addresses.filter((address) => isIP(address) === 6),
      );
    },
  };
}

type ZoneData = {
  readonly records: ReadonlyMap<string, ZoneAnswer[]>;
  readonly faultOf: (name: string) => Fault | undefined;
};

/** @param question.aliases how many more CNAME records to follow */
function lookUp(
  zone: ZoneData,
  { name, type, aliases }: { name: string; type: string; aliases: number },
): ZoneAnswer[] | Fault | 'NXDOMAIN' {
  const fault = zone.faultOf(name);
  if (fault || aliases === 0) return fault ?? 'SERVFAIL';
  const records = zone.records.get(name);
  if (!records) return hasSubdomain(zone.records, name) ? [] : 'NXDOMAIN';
  const alias = records.find((record) => record.type === 'CNAME');
  if (!alias || type === 'CNAME') return records.filter((record) => record.type === type);
  const answers = lookUp(zone, { name: String(alias.data).toLowerCase(), type, aliases: aliases - 1 });
  return typeof answers === 'string' ? answers : [alias, ...answers];
}

/** RFC 8020: a name with subdomains exists, even if it has no records. */
function hasSubdomain(records: ReadonlyMap<string, unknown>, name: string): boolean {
  return [...records.keys()].some((other) => other.endsWith(`.${name}`));
}

function toStrings(value: string | readonly string[]): ReadonlyArray<string | Buffer> {
  if (typeof value !== 'string') return value;
  const bytes = Buffer.from(value);
  const count = Math.max(1, Math.ceil(bytes.length / MAX_STRING_BYTES));
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * MAX_STRING_BYTES, (index + 1) * MAX_STRING_BYTES),
  );
}
