import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import dnsPacket, { type Answer, type Packet } from 'dns-packet';
import { type DnsZone, dnsZone, type Fault } from './dns-zone.js';

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

/** Starts a DNS server on 127.0.0.1, over UDP and TCP. The test sets its records. */
export async function startDnsServer(): Promise<DnsServer> {
  const questions: string[] = [];
  const zone = dnsZone();
  const answer = (query: Packet, transport: 'udp' | 'tcp') => {
    const [question] = query.questions ?? [];
    questions.push(`${question?.type} ${question?.name.toLowerCase()} over ${transport}`);
    return answerTo(query, zone);
  };
  const { udp, tcp } = await bindUdpAndTcp();
  udp.on('message', (message, peer) => {
    const query = dnsPacket.decode(message);
    const reply = answer(query, 'udp');
    if (reply) udp.send(truncate(reply, maxUdpBytes(query)), peer.port, peer.address);
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
 * Binds UDP and TCP to the same port. The system picks a UDP port. If that port is in use for TCP, we try another one.
 */
async function bindUdpAndTcp(): Promise<{ udp: Socket; tcp: Server }> {
  for (;;) {
    const udp = createSocket('udp4').bind(0, '127.0.0.1');
    await once(udp, 'listening');
    const tcp = createServer().listen((udp.address() as AddressInfo).port, '127.0.0.1');
    // `once` rejects if the server emits an error.
    const isBound = await once(tcp, 'listening').then(
      () => true,
      () => false,
    );
    if (isBound) return { udp, tcp };
    udp.close();
  }
}

/** @returns null if the test told the server not to answer */
function answerTo(query: Packet, zone: DnsZone): Packet | null {
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
  };
}

function maxUdpBytes({ additionals = [] }: Packet): number {
  const edns = additionals.find(({ type }) => type === 'OPT') as { udpPayloadSize?: number } | undefined;
  return Math.max(DEFAULT_UDP_BYTES, edns?.udpPayloadSize ?? 0);
}

/** Drops the answers from a reply that is too large, and sets the flag that tells the client to ask over TCP. */
function truncate(reply: Packet, maxBytes: number): Buffer {
  const complete = dnsPacket.encode(reply);
  if (complete.length <= maxBytes) return complete;
  return dnsPacket.encode({ ...reply, flags: (reply.flags ?? 0) | dnsPacket.TRUNCATED_RESPONSE, answers: [] });
}
