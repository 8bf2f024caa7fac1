import { readFile } from 'node:fs/promises';
import { createDns } from './dns.js';

/** The addresses of a host, or why there are none. The reason completes a sentence that starts with the host. */
export type FoundAddresses = { readonly addresses: readonly string[] } | { readonly reason: string };

export type HostLookup = (name: string) => Promise<FoundAddresses>;

/**
 * Names of strangers are looked up, and a name can be made to take as long as a lookup may. So a domain gets only a
 * part of the lookups that run at the same time.
 */
const MAX_LOOKUPS = 256;
const MAX_LOOKUPS_PER_DOMAIN = 32;
/** Short, because a name that was just added should soon be found. */
const MISS_MS = 10_000;
const MAX_MISSES = 1_000;

const NO_ADDRESS: FoundAddresses = { reason: 'has no address in DNS' };
const BUSY: FoundAddresses = {
  reason: 'could not be looked up in DNS: too many names of its domain are being looked up at the moment',
};

type HostLookupOptions = {
  /** The system's resolvers, as `address:port`. By default, those that the system names. */
  readonly systemServers?: readonly string[];
  readonly hostsFile?: string;
  readonly now?: () => number;
};

/**
 * Finds the addresses of hosts through the configured resolvers. If there are none, it does what the system would do: it
 * reads the hosts file and asks the system's resolvers. It does not call the system's own lookup (`getaddrinfo`), which
 * blocks one of four threads until it has an answer. A few slow names would then hold up every connection of the process.
 *
 * Addresses are not cached, because DNS decides how long they are valid. That there are none is cached for a moment.
 */
export function createHostLookup(
  { dnsServers }: { readonly dnsServers: readonly string[] },
  { systemServers = [], hostsFile = '/etc/hosts', now = () => performance.now() }: HostLookupOptions = {},
): HostLookup {
  const usesSystem = dnsServers.length === 0;
  const servers = usesSystem ? systemServers : dnsServers;
  const running = new Map<string, Promise<FoundAddresses>>();
  const misses = createMisses(now);

  async function findAddresses(name: string): Promise<FoundAddresses> {
    const local = usesSystem ? await findLocalAddresses(name, hostsFile) : [];
    const found = local.length > 0 ? { addresses: local } : await findInDns(servers, name);
    if ('reason' in found) misses.add(name, found);
    return found;
  }

  return async (text) => {
    const name = text.toLowerCase().replace(/\.$/, '');
    const known = misses.find(name) ?? running.get(name);
    if (known !== undefined) return known;
    if (!hasRoom(running, name)) return BUSY;
    const lookup = findAddresses(name).finally(() => running.delete(name));
    running.set(name, lookup);
    return lookup;
  };
}

function hasRoom(running: ReadonlyMap<string, unknown>, name: string): boolean {
  if (running.size < MAX_LOOKUPS_PER_DOMAIN) return true;
  const domain = getDomain(name);
  const ofDomain = [...running.keys()].filter((other) => getDomain(other) === domain).length;
  return running.size < MAX_LOOKUPS && ofDomain < MAX_LOOKUPS_PER_DOMAIN;
}

/** The last two labels are near enough to what one owner controls. */
function getDomain(name: string): string {
  return name.split('.').slice(-2).join('.');
}

function createMisses(now: () => number) {
  const misses = new Map<string, { readonly found: FoundAddresses; readonly until: number }>();
  return {
    find(name: string): FoundAddresses | null {
      const miss = misses.get(name);
      if (miss && miss.until > now()) return miss.found;
      misses.delete(name);
      return null;
    },
    add(name: string, found: FoundAddresses): void {
      const [oldest] = misses.keys();
      if (misses.size >= MAX_MISSES && oldest !== undefined) misses.delete(oldest);
      misses.set(name, { found, until: now() + MISS_MS });
    },
  };
}

async function findInDns(dnsServers: readonly string[], name: string): Promise<FoundAddresses> {
  const dns = createDns({ dnsServers });
  try {
    const answer = await dns.addresses(name);
    if ('failure' in answer) return { reason: `could not be looked up in DNS: ${answer.failure}` };
    return answer.values.length === 0 ? NO_ADDRESS : { addresses: answer.values };
  } finally {
    dns.close();
  }
}

/** Addresses that no resolver is asked for: those in the hosts file, and those of localhost (RFC 6761, 6.3). */
async function findLocalAddresses(name: string, hostsFile: string): Promise<string[]> {
  const text = await readFile(hostsFile, 'utf8').catch(() => '');
  const addresses = text.split('\n').flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    return address && names.some((each) => each.toLowerCase() === name) ? [address] : [];
  });
  const isLocalhost = name === 'localhost' || name.endsWith('.localhost');
  return addresses.length === 0 && isLocalhost ? ['127.0.0.1', '::1'] : addresses;
}
