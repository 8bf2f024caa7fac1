import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, isIP, type Server } from 'node:net';
import dnsPacket, { type Answer, type Packet } from 'dns-packet';

/** The size limit over UDP (RFC 1035, 4.2.1), unless the client allows more (RFC 6891). */
const DEFAULT_UDP_BYTES = 512;

/** RFC 1035, 4.1.1 */
const RCODES: Readonly<Record<Exclude<Fault, 'silence'> | 'NXDOMAIN', number>> = {
  SERVFAIL: 2,
  NXDOMAIN: 3,
  REFUSED: 5,
};

export type DnsServer = DnsZone & {
  /** `address:port`, the format of DNS_SERVERS. */
  readonly address: string;
  /** All questions so far, in order, such as `TXT example.com over udp`. */
  readonly questions: readonly string[];
  close(): Promise<void>;
};

/** Starts a DNS server on 127.0.0.1, over UDP and TCP. The test sets its records. @param port by default, a free one */
export async function startDnsServer({ port = 0 } = {}): Promise<DnsServer> {
  const questions: string[] = [];
  const zone = createDnsZone();
  const answer = (query: Packet, transport: 'udp' | 'tcp') => {
    const [question] = query.questions ?? [];
    questions.push(`${question?.type} ${question?.name.toLowerCase()} over ${transport}`);
    return buildAnswer(query, zone);
  };
  const { udp, tcp } = await bindUdpAndTcp(port);
  udp.on('message', (message, peer) => {
    const query = dnsPacket.decode(message);
    const reply = answer(query, 'udp');
    if (reply) udp.send(truncate(reply, getMaxUdpBytes(query)), peer.port, peer.address);
  });
  tcp.on('connection', (socket) => {
    let received = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE()) {
        const end = 2 + received.readUInt16BE();
        const reply = answer(dnsPacket.streamDecode(received.subarray(0, end)), 'tcp');
        received = received.subarray(end);
        if (reply) socket.write(dnsPacket.streamEncode(reply));
      }
    });
  });
  return {
    ...zone,
    address: `127.0.0.1:${udp.address().port}`,
    questions,
    async close() {
      udp.close();
      tcp.close();
      await once(tcp, 'close');
    },
  };
}

/**
 * Binds UDP and TCP to the same port. If the port is 0, the system picks a UDP port, and if that is in use for TCP, we
 * try another one.
 */
async function bindUdpAndTcp(port: number): Promise<{ udp: Socket; tcp: Server }> {
  for (;;) {
    const udp = createSocket('udp4').bind(port, '127.0.0.1');
    await once(udp, 'listening');
    const tcp = createServer().listen((udp.address() as AddressInfo).port, '127.0.0.1');
    // `once` rejects if the server emits an error.
    const isBound = await once(tcp, 'listening').then(
      () => true,
      () => false,
    );
    if (isBound) return { udp, tcp };
    udp.close();
    if (port !== 0) throw new Error(`Port ${port} is in use`);
  }
}

function buildAnswer(query: Packet, zone: DnsZone): Packet | null {
  const [question] = query.questions ?? [];
  if (!question) return null;
  const found = zone.lookUp(question.name, question.type);
  if (found === 'silence') return null;
  const rcode = typeof found === 'string' ? RCODES[found] : 0;
  return {
    type: 'response',
    id: query.id ?? 0,
    // dns-packet expects the response code in the low bits of the flags.
    flags: dnsPacket.RECURSION_DESIRED | dnsPacket.RECURSION_AVAILABLE | rcode,
    questions: [question],
    answers: typeof found === 'string' ? [] : (found as Answer[]),
    authorities: found === 'NXDOMAIN' || found.length === 0 ? zone.findSoa(question.name) : [],
  };
}

function getMaxUdpBytes({ additionals = [] }: Packet): number {
  const edns = additionals.find(({ type }) => type === 'OPT') as { udpPayloadSize?: number } | undefined;
  return Math.max(DEFAULT_UDP_BYTES, edns?.udpPayloadSize ?? 0);
}

/** Drops the answers from a reply that is too large, and sets the flag that tells the client to ask over TCP. */
function truncate(reply: Packet, maxBytes: number): Buffer {
  const complete = dnsPacket.encode(reply);
  if (complete.length <= maxBytes) return complete;
  return dnsPacket.encode({ ...reply, flags: (reply.flags ?? 0) | dnsPacket.TRUNCATED_RESPONSE, answers: [] });
}

const TTL_SECONDS = 60;
const MAX_STRING_BYTES = 255;
const MAX_ALIASES = 8;

/** `silence` means that the server does not answer. */
export type Fault = 'SERVFAIL' | 'REFUSED' | 'silence';

/** By default, questions about every type fail until `heal` is called. */
type FaultScope = { readonly type?: string; readonly times?: number };

type ZoneAnswer = { name: string; type: 'TXT' | 'MX' | 'CNAME' | 'PTR' | 'A' | 'AAAA'; ttl: number; data: unknown };

/**
 * The records of a DNS server. Setting the records for a name and type replaces the earlier ones; passing no records
 * removes them.
 */
type DnsZone = {
  /** A value is a list of strings, or text that is split into strings if it is long. */
  txt(name: string, ...values: Array<string | readonly string[]>): void;
  mx(name: string, ...hosts: Array<{ priority: number; host: string }>): void;
  cname(name: string, target: string): void;
  /** @param names that the address belongs to */
  ptr(ipv4: string, ...names: string[]): void;
  addresses(name: string, ...addresses: string[]): void;
  /** The SOA record of a zone, which is in every negative answer about its names (RFC 2308). */
  soa(zone: string, times: { readonly ttl: number; readonly minimum: number }): void;
  /** The TTL of all records that are set from now on. */
  setTtl(seconds: number): void;
  /** Whether answers contain the records of the target of a CNAME record, as those of a resolver do. */
  followAliases(follows: boolean): void;
  /** Makes questions about this name fail. */
  fail(name: string, fault: Fault, scope?: FaultScope): void;
  failAll(fault: Fault): void;
  heal(): void;
  clear(): void;
  /** Answers a question, and follows CNAME records like a resolver. */
  lookUp(name: string, type: string): ZoneAnswer[] | Fault | 'NXDOMAIN';
  findSoa(name: string): Answer[];
};

function createDnsZone(): DnsZone {
  const records = new Map<string, ZoneAnswer[]>();
  const soas = new Map<string, Answer>();
  const { findFault, ...faultSetters } = createFaults();
  let ttl = TTL_SECONDS;
  let aliases = MAX_ALIASES;

  function put(name: string, type: ZoneAnswer['type'], data: readonly unknown[]): void {
    const key = name.toLowerCase();
    const others = (records.get(key) ?? []).filter((record) => record.type !== type);
    const fresh = data.map((value) => ({ name: key, type, ttl, data: value }));
    if (others.length + fresh.length === 0) records.delete(key);
    else records.set(key, [...others, ...fresh]);
  }

  return {
    ...buildRecordSetters(put),
    ...faultSetters,
    soa: (zone, times) => soas.set(zone.toLowerCase(), buildSoa(zone, times)),
    setTtl(seconds) {
      ttl = seconds;
    },
    followAliases(follows) {
      aliases = follows ? MAX_ALIASES : 0;
    },
    clear() {
      records.clear();
      soas.clear();
      ttl = TTL_SECONDS;
    },
    lookUp: (name, type) => lookUp({ records, findFault }, { name: name.toLowerCase(), type, aliases }),
    findSoa: (name) => [...soas].flatMap(([zone, soa]) => (isInZone(name.toLowerCase(), zone) ? [soa] : [])),
  };
}

function isInZone(name: string, zone: string): boolean {
  return name === zone || name.endsWith(`.${zone}`);
}

function buildSoa(zone: string, { ttl, minimum }: { ttl: number; minimum: number }): Answer {
  return { type: 'SOA', name: zone, ttl, data: { mname: `ns.${zone}`, rname: `hostmaster.${zone}`, minimum } };
}

function createFaults() {
  const faults = new Map<string, { fault: Fault; left: number }>();
  let serverFault: Fault | null = null;
  return {
    fail(name: string, fault: Fault, { type, times = Number.POSITIVE_INFINITY }: FaultScope = {}): void {
      faults.set([name.toLowerCase(), ...(type === undefined ? [] : [type])].join(' '), { fault, left: times });
    },
    failAll(fault: Fault): void {
      serverFault = fault;
    },
    heal(): void {
      serverFault = null;
      faults.clear();
    },
    findFault(name: string, type: string): Fault | undefined {
      const found = faults.get(name) ?? faults.get(`${name} ${type}`);
      if (serverFault !== null) return serverFault;
      if (found === undefined || found.left === 0) return undefined;
      found.left -= 1;
      return found.fault;
    },
  };
}

type Put = (name: string, type: ZoneAnswer['type'], data: readonly unknown[]) => void;

function buildRecordSetters(put: Put): Pick<DnsZone, 'txt' | 'mx' | 'cname' | 'ptr' | 'addresses'> {
  return {
    txt: (name, ...values) => put(name, 'TXT', values.map(toStrings)),
    mx: (name, ...hosts) =>
      put(
        name,
        'MX',
        hosts.map(({ priority, host }) => ({ preference: priority, exchange: host })),
      ),
    cname: (name, target) => put(name, 'CNAME', [target]),
    ptr: (ipv4, ...names) => put(`${ipv4.split('.').toReversed().join('.')}.in-addr.arpa`, 'PTR', names),
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
  readonly findFault: (name: string, type: string) => Fault | undefined;
};

/** @param question.aliases how many more CNAME records to follow */
function lookUp(
  zone: ZoneData,
  { name, type, aliases }: { name: string; type: string; aliases: number },
): ZoneAnswer[] | Fault | 'NXDOMAIN' {
  const fault = zone.findFault(name, type);
  if (fault) return fault;
  const records = zone.records.get(name);
  if (!records) return hasSubdomain(zone.records, name) ? [] : 'NXDOMAIN';
  const alias = records.find((record) => record.type === 'CNAME');
  if (!alias || type === 'CNAME') return records.filter((record) => record.type === type);
  if (aliases === 0) return [alias];
  if (aliases === 1) return 'SERVFAIL';
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
