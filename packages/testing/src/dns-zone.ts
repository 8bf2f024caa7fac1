const TTL_SECONDS = 60;
const MAX_STRING_BYTES = 255;
const MAX_HOPS = 8;

/** `silence`: no answer ever comes. */
export type Fault = 'SERVFAIL' | 'REFUSED' | 'silence';

export type ZoneAnswer = { name: string; type: 'TXT' | 'MX' | 'CNAME'; ttl: number; data: unknown };

/** What a DNS server knows, as a test sets it. A name is given what it has anew; without values it has nothing of that kind. */
export type DnsZone = {
  /** A value is a text, cut into strings where it is long, or the strings themselves. */
  txt(name: string, ...values: Array<string | readonly string[]>): void;
  mx(name: string, ...hosts: Array<{ priority: number; host: string }>): void;
  cname(name: string, target: string): void;
  /** Every question about the name ends so, until `heal`. */
  fail(name: string, fault: Fault): void;
  /** The whole server fails, whatever it is asked. */
  failAll(fault: Fault): void;
  heal(): void;
  clear(): void;
  /** The answer to a question, aliases followed as a resolver does. */
  look(name: string, type: string): ZoneAnswer[] | Fault | 'NXDOMAIN';
};

export function dnsZone(): DnsZone {
  const records = new Map<string, ZoneAnswer[]>();
  const faults = new Map<string, Fault>();
  let whole: Fault | null = null;

  function put(name: string, type: ZoneAnswer['type'], data: readonly unknown[]): void {
    const key = name.toLowerCase();
    const others = (records.get(key) ?? []).filter((record) => record.type !== type);
    const fresh = data.map((value) => ({ name: key, type, ttl: TTL_SECONDS, data: value }));
    if (others.length + fresh.length === 0) records.delete(key);
    else records.set(key, [...others, ...fresh]);
  }

  return {
    txt: (name, ...values) => put(name, 'TXT', values.map(toStrings)),
    mx: (name, ...hosts) =>
      put(
        name,
        'MX',
        hosts.map(({ priority, host }) => ({ preference: priority, exchange: host })),
      ),
    cname: (name, target) => put(name, 'CNAME', [target]),
    fail: (name, fault) => faults.set(name.toLowerCase(), fault),
    failAll(fault) {
      whole = fault;
    },
    heal() {
      whole = null;
      faults.clear();
    },
    clear() {
      records.clear();
    },
    look: (name, type) =>
      look({ records, faultOf: (at) => whole ?? faults.get(at) }, { name: name.toLowerCase(), type, hops: MAX_HOPS }),
  };
}

type Known = {
  readonly records: ReadonlyMap<string, ZoneAnswer[]>;
  readonly faultOf: (name: string) => Fault | undefined;
};

function look(
  known: Known,
  { name, type, hops }: { name: string; type: string; hops: number },
): ZoneAnswer[] | Fault | 'NXDOMAIN' {
  const fault = known.faultOf(name);
  if (fault || hops === 0) return fault ?? 'SERVFAIL';
  const here = known.records.get(name);
  if (!here) return hasBelow(known.records, name) ? [] : 'NXDOMAIN';
  const alias = here.find((record) => record.type === 'CNAME');
  if (!alias) return here.filter((record) => record.type === type);
  const there = look(known, { name: String(alias.data).toLowerCase(), type, hops: hops - 1 });
  return typeof there === 'string' ? there : [alias, ...there];
}

/** RFC 8020: a name with names below it exists, even if it has no records. */
function hasBelow(records: ReadonlyMap<string, unknown>, name: string): boolean {
  return [...records.keys()].some((known) => known.endsWith(`.${name}`));
}

function toStrings(value: string | readonly string[]): ReadonlyArray<string | Buffer> {
  if (typeof value !== 'string') return value;
  const bytes = Buffer.from(value);
  const count = Math.max(1, Math.ceil(bytes.length / MAX_STRING_BYTES));
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * MAX_STRING_BYTES, (index + 1) * MAX_STRING_BYTES),
  );
}
