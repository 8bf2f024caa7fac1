import { Resolver } from 'node:dns';
import type { Answer } from 'dns-packet';
import { askServer, type NoReply, type Question, type RecordType, type ServerReply } from './dns-query.js';
import { createExpiringCache } from './expiring-cache.js';

type MxRecord = { readonly preference: number; readonly exchange: string };

/** The strings of a TXT record are joined. */
type Records = { readonly MX: MxRecord; readonly A: string; readonly AAAA: string; readonly TXT: string };

/** Why a look-up failed, in words for a sentence such as "The DNS look-up failed (SERVFAIL)". */
export type DnsFault = NoReply | 'SERVFAIL' | 'REFUSED' | 'an error of the server' | 'loop' | 'too many look-ups';

/** A look-up that failed says nothing about the name. It must never count as `no_such_name` or `no_records`. */
export type DnsResult<Value> =
  | { readonly status: 'records'; readonly records: readonly Value[] }
  | { readonly status: 'no_such_name' }
  | { readonly status: 'no_records' }
  | { readonly status: 'failed'; readonly why: DnsFault };

export type MailDns = {
  /**
   * Never rejects.
   * @param options.isFresh whether to ask the servers even if the answer is cached
   */
  lookUp<Type extends RecordType>(
    name: string,
    type: Type,
    options?: { readonly isFresh?: boolean },
  ): Promise<DnsResult<Records[Type]>>;
};

/** For all servers, tries and aliases together. */
const LOOK_UP_MS = 8_000;
/** For one server. A second round waits longer. */
const ROUND_TIMEOUTS_MS = [2_000, 3_000];
/** Each has a socket, and a process may have only 1,024 open files. */
const MAX_LOOK_UPS = 500;
const MAX_ALIASES = 8;

const MAX_CACHED = 20_000;
const MAX_TTL_SECONDS = 3_600;
/** RFC 9520, 3.2 asks for at least a second. Asking again costs most where nobody answers. */
const FAILED_SECONDS = 1;
const TIMED_OUT_SECONDS = 5;

/** RFC 1035, 2.3.4. DNS itself allows any byte in a label. */
const LABEL = /^[^.]{1,63}$/;
const MAX_NAME_CHARACTERS = 253;

type MailDnsOptions = {
  readonly now?: () => number;
  readonly findSystemServers?: () => readonly string[];
};

/**
 * The DNS client of direct delivery. It asks `DNS_SERVERS` or, without them, the servers of `/etc/resolv.conf`, but reads
 * neither search domains nor the hosts file: a recipient's domain must not become a name of our own network. It caches
 * answers by their TTL, which Node's resolver does not report for MX and TXT records, nor for negative answers.
 */
export function createMailDns(
  { dnsServers }: { readonly dnsServers: readonly string[] },
  { now = () => performance.now(), findSystemServers = () => new Resolver().getServers() }: MailDnsOptions = {},
): MailDns {
  const cache = createExpiringCache<DnsResult<unknown>>(MAX_CACHED, now);
  const running = new Map<string, Promise<DnsResult<unknown>>>();

  async function askAndCache(key: string, question: Question): Promise<DnsResult<unknown>> {
    const servers = dnsServers.length > 0 ? dnsServers : findSystemServers();
    const { result, ttlSeconds } = await resolve(servers, question);
    cache.set(key, result, now() + Math.min(ttlSeconds, MAX_TTL_SECONDS) * 1_000);
    return result;
  }

  async function lookUp(text: string, type: RecordType, { isFresh = false } = {}): Promise<DnsResult<unknown>> {
    const name = text.toLowerCase().replace(/\.$/, '');
    if (!isDnsName(name)) return { status: 'no_such_name' };
    const key = `${type} ${name}`;
    const known = (isFresh ? undefined : cache.find(key)) ?? running.get(key);
    if (known !== undefined) return known;
    if (running.size >= MAX_LOOK_UPS) return { status: 'failed', why: 'too many look-ups' };
    const lookup = askAndCache(key, { name, type }).finally(() => running.delete(key));
    running.set(key, lookup);
    return lookup;
  }

  return { lookUp: lookUp as MailDns['lookUp'] };
}

function isDnsName(name: string): boolean {
  return name.length <= MAX_NAME_CHARACTERS && name.split('.').every((label) => LABEL.test(label));
}

type Resolved = { readonly result: DnsResult<unknown>; readonly ttlSeconds: number };

/** Follows aliases whose targets a server does not add to its reply. */
async function resolve(servers: readonly string[], { name, type }: Question): Promise<Resolved> {
  const endsAt = performance.now() + LOOK_UP_MS;
  let ttlSeconds = MAX_TTL_SECONDS;
  let aliases = 0;
  let target = name;
  for (;;) {
    const reply = await askServers(servers, { name: target, type }, endsAt);
    if (typeof reply === 'string') return toFailed(reply);
    const found = readAnswers(reply, { name: target, type });
    const isDone = found.records.length > 0 || found.name === target || findSoa(reply) !== undefined;
    ttlSeconds = Math.min(ttlSeconds, found.ttlSeconds);
    aliases += found.aliases;
    target = found.name;
    if (aliases > MAX_ALIASES) return toFailed('loop');
    if (reply.rcode === 'NXDOMAIN') return toNegative('no_such_name', reply, ttlSeconds);
    if (found.records.length > 0) return { result: { status: 'records', records: found.records }, ttlSeconds };
    if (isDone) return toNegative('no_records', reply, ttlSeconds);
  }
}

function toFailed(why: DnsFault): Resolved {
  return { result: { status: 'failed', why }, ttlSeconds: why === 'time-out' ? TIMED_OUT_SECONDS : FAILED_SECONDS };
}

/** The SOA record says how long to cache that there is nothing (RFC 2308, 5). Without one, it is not cached. */
function toNegative(status: 'no_such_name' | 'no_records', reply: ServerReply, ttlSeconds: number): Resolved {
  return { result: { status }, ttlSeconds: Math.min(ttlSeconds, findSoa(reply) ?? 0) };
}

function findSoa({ authorities }: ServerReply): number | undefined {
  const soa = authorities.find((record) => record.type === 'SOA');
  return soa && Math.min(toSeconds(soa.ttl), toSeconds(soa.data.minimum));
}

/** A TTL with the highest bit set counts as 0 (RFC 2181, 8). */
function toSeconds(ttl = 0): number {
  return ttl >= 2 ** 31 ? 0 : ttl;
}

type Found = {
  readonly name: string;
  readonly aliases: number;
  readonly records: readonly unknown[];
  readonly ttlSeconds: number;
};

/** Follows the aliases in a reply, and reads the records at their end. */
function readAnswers({ answers }: ServerReply, { name, type }: Question): Found {
  const at = (owner: string, wanted: string) =>
    answers.filter((answer) => answer.type === wanted && answer.name.toLowerCase() === owner);
  let owner = name;
  const passed: Answer[] = [];
  for (let [alias] = at(owner, 'CNAME'); alias !== undefined; [alias] = at(owner, 'CNAME')) {
    passed.push(alias);
    owner = String((alias as { data: unknown }).data).toLowerCase();
    if (passed.length > MAX_ALIASES) break;
  }
  const records = at(owner, type);
  const ttls = [...passed, ...records].map((record) => toSeconds((record as { ttl?: number }).ttl));
  return {
    name: owner,
    aliases: passed.length,
    records: records.map((record) => toValue((record as { data: unknown }).data)),
    ttlSeconds: Math.min(MAX_TTL_SECONDS, ...ttls),
  };
}

function toValue(data: unknown): unknown {
  return Array.isArray(data) ? data.map(String).join('') : data;
}

/** Asks the servers in turn. One that reports an error is not asked again. */
async function askServers(
  servers: readonly string[],
  question: Question,
  endsAt: number,
): Promise<ServerReply | DnsFault> {
  const tries = ROUND_TIMEOUTS_MS.flatMap((ms) => servers.map((server) => ({ server, ms })));
  const broken = new Set<string>();
  let why: DnsFault = performance.now() < endsAt ? 'unreachable' : 'time-out';
  for (const { server, ms } of tries) {
    if (broken.has(server)) continue;
    const timeoutMs = Math.min(ms, endsAt - performance.now());
    if (timeoutMs <= 0) break;
    const reply = await askServer(server, question, Math.ceil(timeoutMs));
    const fault = findFault(reply);
    if (!('noReply' in reply) && fault === null) return reply;
    why = fault ?? why;
    if (fault !== 'time-out') broken.add(server);
  }
  return why;
}

function findFault(reply: ServerReply | { readonly noReply: NoReply }): DnsFault | null {
  if ('noReply' in reply) return reply.noReply;
  switch (reply.rcode) {
    case 'NOERROR':
    case 'NXDOMAIN':
      return null;
    case 'SERVFAIL':
    case 'REFUSED':
      return reply.rcode;
    default:
      return 'an error of the server';
  }
}
