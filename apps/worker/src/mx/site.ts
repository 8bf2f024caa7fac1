import type { WaitsFor } from '@posthorn/domain/emails';
import type { Connection } from '../smtp/connection.js';
import { openPool, type Pool, type Server, type SessionCounts } from '../smtp/pool.js';
import type { LimitContext } from '../smtp/relay-limits.js';
import type { OutgoingMessage } from '../smtp/send-message.js';
import { openSharedSessions, type SharedSessions } from '../smtp/shared-sessions.js';
import type { SlowDowns } from '../smtp/shared-slow-downs.js';
import type { Transaction } from '../smtp/transaction-result.js';
import { type Connecting, connectToHosts, type HostMemory, LEARNED_MS } from './connect-to-hosts.js';
import type { MailHost, Site } from './find-mail-servers.js';
import type { SiteLimits } from './site-limits.js';
import { findSlowDownIn, toReplyAboutUs } from './site-replies.js';

export type SiteContext = LimitContext & {
  readonly connecting: Connecting;
  readonly memory: HostMemory;
  readonly slowDowns: SlowDowns;
};

/** The relay that goes straight to sites, and the site. */
export type SiteSettings = {
  readonly relay: { readonly id: string; readonly name: string };
  readonly site: Site;
  readonly limits: SiteLimits;
  /** How many sessions this worker has with the site at most, so that a slow one does not take all of its slots. */
  readonly connectionsHere: number;
};

/** The hosts of a site as DNS last said, and the policy that binds a domain of it; null if there is none. */
export type SiteTarget = { readonly hosts: readonly MailHost[]; readonly policyOf: string | null };

export type OpenSite = ReturnType<typeof openSite>;

/** Sends mail to the mail servers of a site, as much as it wants. */
export function openSite(ctx: SiteContext, { relay, site, limits, connectionsHere }: SiteSettings) {
  const place = `${relay.name}/${site.name}/${site.key}`;
  const id = `${relay.id}:${site.key}`;
  const shared = openSharedSessions(ctx, { id, connections: limits.connections, here: connectionsHere });
  const pools = openPools(ctx, { place, limits, shared });
  let usedAt = performance.now();

  return {
    name: site.name,
    limits,
    async send(outgoing: OutgoingMessage, target: SiteTarget): Promise<Transaction> {
      usedAt = performance.now();
      const slowDown = ctx.slowDowns.find(place);
      if (slowDown !== null) return buildBusy(`slow:${place}`, slowDown.reply);
      const transaction = await pools.send(outgoing, target);
      if (transaction.end === 'busy') return { ...transaction, limit: `connections:${place}` };
      const mayTryIpv4 = await noteReplies(ctx, place, { transaction, target });
      return withRepliesAboutUs(mayTryIpv4 ? await pools.send(outgoing, target) : transaction);
    },
    isIdleFor: (ms: number) => performance.now() - usedAt > ms,
    countRoom: pools.countRoom,
    countSessions: pools.countSessions,
    close(): void {
      shared.close();
      pools.close();
    },
  };
}

function withRepliesAboutUs(transaction: Transaction): Transaction {
  const replies = [...transaction.replies].map(([address, reply]) => [address, toReplyAboutUs(reply)] as const);
  return { ...transaction, replies: new Map(replies) };
}

type Answered = { readonly transaction: Transaction; readonly target: SiteTarget };

/** Slows down if the site asks for that. @returns whether it refuses only our IPv6 address, and has others */
async function noteReplies(
  { memory, slowDowns }: SiteContext,
  place: string,
  { transaction, target }: Answered,
): Promise<boolean> {
  const asked = findSlowDownIn(transaction);
  if (asked === null && transaction.end === 'completed') slowDowns.end(place);
  if (asked?.kind === 'source_refused') {
    if (memory.ipv4Only.find(place) !== undefined || !target.hosts.some(hasIpv6)) return false;
    memory.ipv4Only.set(place, true, memory.now() + LEARNED_MS);
    return true;
  }
  if (asked !== null && asked.kind !== 'mailbox_rate') await slowDowns.begin(place, asked);
  return false;
}

/** A message goes to the first of these hosts that takes a session. */
type SitePool = Pool<readonly MailHost[]>;
type SiteServer = Server<readonly MailHost[]>;

type PoolSettings = { readonly place: string; readonly limits: SiteLimits; readonly shared: SharedSessions };

/** The sessions with a site. A domain whose policy demands TLS has sessions of its own. */
function openPools(ctx: SiteContext, { place, limits, shared }: PoolSettings) {
  const pools = new Map<string | null, SitePool>();
  const { connecting, memory } = ctx;
  const balance = createHostBalance();

  function openPoolFor(policyOf: string | null): SitePool {
    const connect: SiteServer['connect'] = (span, onClose, hosts) => {
      const isIpv4Only = memory.ipv4Only.find(place) !== undefined;
      const open = (sorted: readonly MailHost[], onEnd: () => void) =>
        connectToHosts(connecting, memory, { hosts: sorted, policyOf, isIpv4Only }, { span, onClose: onEnd });
      return balance.open(hosts, onClose, open);
    };
    const { timeouts } = connecting;
    const { messagesPerConnection } = limits;
    const isAt: SiteServer['isAt'] = ({ host }, hosts) => isAtFirst(host, hosts, memory);
    const isWelcome: SiteServer['isWelcome'] = ({ socket }) =>
      memory.ipv4Only.find(place) === undefined || socket.remoteFamily !== 'IPv6';
    const server = { timeouts, messagesPerConnection, connect, isAt, isWelcome };
    const pool = openPool(server, { ...shared, close() {} });
    pools.set(policyOf, pool);
    return pool;
  }

  return {
    send: (outgoing: OutgoingMessage, { policyOf, hosts }: SiteTarget): Promise<Transaction> =>
      (pools.get(policyOf) ?? openPoolFor(policyOf)).send(outgoing, hosts),
    countRoom: () => Math.max(1, ...[...pools.values()].map((pool) => pool.countRoom())),
    countSessions: (): SessionCounts[] => [...pools.values()].map((pool) => pool.countSessions()),
    close(): void {
      for (const pool of pools.values()) pool.close();
    },
  };
}

type OpenSession = (hosts: readonly MailHost[], onEnd: () => void) => Promise<Connection>;

/**
 * Of hosts with the same preference, the one with the fewest sessions gets the next one. There are few sessions, so by
 * chance a host would often have none.
 */
function createHostBalance() {
  const sessions = new Map<string, number>();
  const count = ({ name }: MailHost) => sessions.get(name) ?? 0;
  const change = (host: MailHost | undefined, by: 1 | -1) => {
    if (host !== undefined) sessions.set(host.name, count(host) + by);
  };
  return {
    async open(hosts: readonly MailHost[], onClose: () => void, open: OpenSession): Promise<Connection> {
      const sorted = hosts.toSorted((a, b) => a.preference - b.preference || count(a) - count(b));
      const [first] = sorted;
      change(first, 1);
      try {
        return await open(sorted, () => {
          change(first, -1);
          onClose();
        });
      } catch (error) {
        change(first, -1);
        throw error;
      }
    },
  };
}

/**
 * Whether a session is with the host that a message should go to. Hosts with the same preference share the mail evenly
 * (RFC 5321, 5.1), so each message goes to the one that comes first for it, unless that one was dead a moment ago.
 */
function isAtFirst(current: string | null, hosts: readonly MailHost[], { dead }: HostMemory): boolean {
  const [first, second] = hosts.filter(({ addresses }) => addresses.some(({ address }) => !dead.find(address)));
  if (first === undefined || first.preference !== second?.preference) return true;
  return current?.startsWith(`${first.name} `) ?? false;
}

function hasIpv6({ addresses }: MailHost): boolean {
  return addresses.some(({ family }) => family === 6);
}

export function buildBusy(limit: WaitsFor, why: string): Transaction {
  return {
    ...{ phase: 'connect', end: 'busy', suspicion: null, replies: new Map(), conversation: [] },
    ...{ fault: why, faultCode: null, limit },
  };
}
