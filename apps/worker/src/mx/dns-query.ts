import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, isIP, isIPv6 } from 'node:net';
import dnsPacket, { type Answer, type DecodedPacket } from 'dns-packet';

export type RecordType = 'MX' | 'A' | 'AAAA' | 'TXT';

/** @property name in lower case, with A-labels and without a dot at the end */
export type Question = { readonly name: string; readonly type: RecordType };

/** @property rcode such as `NOERROR` or `SERVFAIL` (RFC 1035, 4.1.1) */
export type ServerReply = {
  readonly rcode: string;
  readonly answers: readonly Answer[];
  readonly authorities: readonly Answer[];
};

/** Why a server gave no reply that we could read. */
export type NoReply = 'time-out' | 'unreachable';

/** The size that avoids fragments on nearly every path (DNS flag day 2020). */
const EDNS_UDP_BYTES = 1_232;
const MAX_ID = 0xffff;
const DNS_PORT = 53;

/**
 * Asks one server over UDP, and again over TCP if the answer was truncated. The id is random, and so is the source port:
 * each question has a socket of its own, and the system picks its port.
 * @param server `address` or `address:port`
 * @param timeoutMs for everything together
 */
export async function askServer(
  server: string,
  question: Question,
  timeoutMs: number,
): Promise<ServerReply | { readonly noReply: NoReply }> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const exchange: Exchange = { ...parseServer(server), question, deadline };
  try {
    const reply = await ask(exchange, true);
    // Old servers do not know EDNS (RFC 6891, 7).
    return reply.rcode === 'FORMERR' ? await ask(exchange, false) : reply;
  } catch {
    return { noReply: deadline.aborted ? 'time-out' : 'unreachable' };
  }
}

type Exchange = {
  readonly host: string;
  readonly port: number;
  readonly question: Question;
  readonly deadline: AbortSignal;
};

/** The names that dns-packet decodes but its types leave out. */
type Reply = DecodedPacket & { readonly rcode: string };

async function ask(exchange: Exchange, hasEdns: boolean): Promise<ServerReply> {
  const id = randomInt(MAX_ID + 1);
  const query = buildQuery(exchange.question, { id, hasEdns });
  const check = (bytes: Buffer) => readReply(bytes, exchange.question, id);
  const reply = await askOverUdp(exchange, query, check);
  const { rcode, answers = [], authorities = [] } = reply.flag_tc ? await askOverTcp(exchange, query, check) : reply;
  return { rcode, answers, authorities };
}

function buildQuery({ name, type }: Question, { id, hasEdns }: { id: number; hasEdns: boolean }): Buffer {
  const edns = { type: 'OPT', name: '.', udpPayloadSize: EDNS_UDP_BYTES, extendedRcode: 0, ednsVersion: 0, flags: 0 };
  return dnsPacket.encode({
    type: 'query',
    id,
    flags: dnsPacket.RECURSION_DESIRED,
    questions: [{ type, name }],
    additionals: hasEdns ? [{ ...edns, flag_do: false, options: [] } as Answer] : [],
  });
}

/** @returns null if this is not the reply to our question (RFC 5452, 4) */
function readReply(bytes: Buffer, question: Question, id: number): Reply | null {
  let reply: Reply;
  try {
    reply = dnsPacket.decode(bytes) as Reply;
  } catch {
    return null;
  }
  if (reply.type !== 'response' || reply.id !== id) return null;
  const [asked, ...others] = reply.questions ?? [];
  // A server that could not read the question does not repeat it.
  if (asked === undefined) return ['NOERROR', 'NXDOMAIN'].includes(reply.rcode) ? null : reply;
  const isOurs = asked.type === question.type && asked.name.toLowerCase() === question.name;
  return isOurs && others.length === 0 ? reply : null;
}

type Check = (bytes: Buffer) => Reply | null;

/** A packet that does not answer our question may be forged, so the wait goes on. */
function askOverUdp({ host, port, deadline }: Exchange, query: Buffer, check: Check): Promise<Reply> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  const replied = new Promise<Reply>((resolve, reject) => {
    deadline.addEventListener('abort', reject, { once: true });
    socket.on('error', reject);
    socket.on('message', (bytes) => {
      const reply = check(bytes);
      if (reply) resolve(reply);
    });
    // A connected socket receives packets of this server alone.
    socket.connect(port, host, (error?: Error) => {
      if (error || deadline.aborted) reject(error);
      else socket.send(query, (unsent) => unsent && reject(unsent));
    });
  });
  return replied.finally(() => socket.close());
}

const LENGTH_BYTES = 2;

function askOverTcp({ host, port, deadline }: Exchange, query: Buffer, check: Check): Promise<Reply> {
  const socket = connect({ host, port });
  const replied = new Promise<Reply>((resolve, reject) => {
    let received = Buffer.alloc(0);
    deadline.addEventListener('abort', reject, { once: true });
    socket.on('error', reject);
    socket.on('end', () => reject(new Error('The server closed the connection')));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const end = received.length < LENGTH_BYTES ? Number.POSITIVE_INFINITY : LENGTH_BYTES + received.readUInt16BE();
      if (received.length < end) return;
      const reply = check(received.subarray(LENGTH_BYTES, end));
      if (reply) resolve(reply);
      else reject(new Error('The reply is not to our question'));
    });
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt16BE(query.length);
    socket.write(Buffer.concat([length, query]));
  });
  return replied.finally(() => socket.destroy());
}

/** `192.0.2.53`, `192.0.2.53:5353`, `2001:db8::53` or `[2001:db8::53]:53`, as `DNS_SERVERS` and Node write them. */
function parseServer(text: string): { host: string; port: number } {
  if (isIP(text) !== 0) return { host: text, port: DNS_PORT };
  const [, ipv6, ipv4, port = DNS_PORT] = /^(?:\[(.+)\]|([^:[\]]+))(?::(\d+))?$/.exec(text) ?? [];
  return { host: ipv6 ?? ipv4 ?? text, port: Number(port) };
}
