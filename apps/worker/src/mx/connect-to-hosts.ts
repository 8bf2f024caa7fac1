import { isIPv6 } from 'node:net';
import type { Span } from '@posthorn/platform/traces';
import { MINUTE_MS } from '@posthorn/platform/values';
import { type Connection, connectTraced, type Relay, RouteFault } from '../smtp/connection.js';
import type { Timeouts } from '../smtp/timeouts.js';
import { toFaultText } from '../smtp/transaction.js';
import { createExpiringCache, type ExpiringCache } from './expiring-cache.js';
import type { MailAddress } from './find-host-addresses.js';
import type { MailHost } from './find-mail-servers.js';

/** How sessions with the mail servers of recipients are opened. */
export type Connecting = {
  readonly port: number;
  readonly timeouts: Timeouts;
  /** How we greet; null for the name of the machine. */
  readonly ehlo: string | null;
  readonly source: { readonly ipv4: string | null; readonly ipv6: string | null };
};

/** What earlier attempts have found out, for a limited time. */
export type HostMemory = {
  readonly now: () => number;
  /** Hosts with which TLS fails. */
  readonly clearText: ExpiringCache<true>;
  /** Addresses that could not be connected to. */
  readonly dead: ExpiringCache<true>;
  /** Sites that refuse our IPv6 address. */
  readonly ipv4Only: ExpiringCache<true>;
};

const MAX_REMEMBERED = 10_000;
/** What is learned from a reply is forgotten after an hour. */
export const LEARNED_MS = 60 * MINUTE_MS;
/** Longer than the first pauses of RETRY_SCHEDULE, so that the next attempt starts with another address. */
const DEAD_MS = 5 * MINUTE_MS;

export function createHostMemory(now: () => number = () => performance.now()): HostMemory {
  const createCache = () => createExpiringCache<true>(MAX_REMEMBERED, now);
  return { now, clearText: createCache(), dead: createCache(), ipv4Only: createCache() };
}

/** An attempt tries so many addresses, and begins no other one after this time. */
const MAX_TRIES = 5;
const MAX_MS = 60_000;

type Target = {
  readonly hosts: readonly MailHost[];
  /** The domain whose MTA-STS policy demands TLS with a valid certificate; null if there is none. */
  readonly policyOf: string | null;
  /** Whether IPv6 addresses are left out, because the site refuses ours. */
  readonly isIpv4Only: boolean;
};

/**
 * Opens a session with the first host that takes one (RFC 5321, 5.1), over TLS if it offers that. Without a policy, TLS
 * that fails is left out (RFC 7435), and certificates are not verified.
 * @throws RouteFault of the host that says most about why there is none
 */
export async function connectToHosts(
  connecting: Connecting,
  memory: HostMemory,
  target: Target,
  { span, onClose }: { readonly span: Span | undefined; readonly onClose: () => void },
): Promise<Connection> {
  const startedAt = performance.now();
  const faults: RouteFault[] = [];
  for (const place of listPlaces(target, memory).slice(0, MAX_TRIES)) {
    if (performance.now() - startedAt > MAX_MS) break;
    try {
      return await connectTo(connecting, memory, { ...place, policyOf: target.policyOf }, { span, onClose });
    } catch (error) {
      if (!(error instanceof RouteFault)) throw error;
      faults.push(new RouteFault(error.cause, describeFault(place, error), error.isOfTls));
      if (!hasReply(error)) memory.dead.set(place.address.address, true, memory.now() + DEAD_MS);
    }
  }
  throw joinFaults(faults);
}

/** A reply says most, and is shown last. */
function joinFaults(faults: readonly RouteFault[]): RouteFault {
  const decisive = faults.find(hasReply) ?? faults.at(-1);
  if (decisive === undefined) return new RouteFault(new Error('No address is left to connect to'), [], false);
  const sorted = [...faults.filter((fault) => fault !== decisive), decisive];
  const conversation = sorted.flatMap((fault) => fault.conversation);
  return new RouteFault(decisive.cause, conversation, decisive.isOfTls);
}

function describeFault(place: Place, error: RouteFault): string[] {
  const ending = hasReply(error) ? [] : [`-- ${toFaultText(error)}`];
  return [`-- ${toHostText(place)}`, ...error.conversation, ...ending];
}

/** Whether the server has said why it takes no session. */
export function hasReply({ cause }: RouteFault): boolean {
  return typeof (cause as { responseCode?: unknown }).responseCode === 'number';
}

type Place = { readonly host: MailHost; readonly address: MailAddress };

/** Addresses that were dead a moment ago come last. */
function listPlaces({ hosts, isIpv4Only }: Target, { dead }: HostMemory): Place[] {
  const places = hosts.flatMap((host) =>
    host.addresses.filter(({ family }) => family === 4 || !isIpv4Only).map((address) => ({ host, address })),
  );
  const isDead = ({ address }: Place) => dead.find(address.address) !== undefined;
  return [...places.filter((place) => !isDead(place)), ...places.filter(isDead)];
}

type Tls = 'offered' | 'verified' | 'none';

async function connectTo(
  connecting: Connecting,
  { clearText, now }: HostMemory,
  { host, address, policyOf }: Place & Pick<Target, 'policyOf'>,
  { span, onClose }: { readonly span: Span | undefined; readonly onClose: () => void },
): Promise<Connection> {
  const connect = (tls: Tls) => connectTraced(toHostRelay(connecting, { host, address }, tls), span, onClose);
  if (policyOf !== null) return connect('verified').catch((error) => rethrowNaming(error, host, policyOf));
  if (clearText.find(host.name) !== undefined) return connect('none');
  try {
    return await connect('offered');
  } catch (error) {
    if (!(error instanceof RouteFault && error.isOfTls)) throw error;
    const connection = await connect('none');
    clearText.set(host.name, true, now() + LEARNED_MS);
    return connection;
  }
}

/** The policy is why there is no session, and not the reply to STARTTLS. */
function rethrowNaming(error: unknown, host: MailHost, policyOf: string): never {
  if (!(error instanceof RouteFault && error.isOfTls)) throw error;
  const why = toFaultText(error).replace(/\.?\s*$/, '');
  const text = `The MTA-STS policy of ${policyOf} demands TLS, which fails with ${host.name}: ${why}`;
  throw new RouteFault(new Error(text), error.conversation, true);
}

function toHostText({ host: { name }, address: { address } }: Place): string {
  return `${name} [${isIPv6(address) ? 'IPv6:' : ''}${address}]`;
}

function toHostRelay({ port, timeouts, ehlo, source }: Connecting, { host, address }: Place, tls: Tls): Relay {
  const localAddress = address.family === 6 ? source.ipv6 : source.ipv4;
  return {
    name: host.name,
    host: toHostText({ host, address }),
    options: {
      ...{ host: address.address, port, secure: false },
      ...(tls === 'verified' && { requireTLS: true, tls: { servername: host.name, rejectUnauthorized: true } }),
      ...(tls === 'offered' && { opportunisticTLS: true, tls: { servername: host.name, rejectUnauthorized: false } }),
      ...(tls === 'none' && { ignoreTLS: true }),
      ...(ehlo !== null && { name: ehlo }),
      ...(localAddress !== null && { localAddress }),
    },
    auth: null,
    notify: 'FAILURE,DELAY',
    timeouts,
  };
}
