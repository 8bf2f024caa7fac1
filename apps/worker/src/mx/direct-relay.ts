import { hostname, networkInterfaces } from 'node:os';
import { toHost } from '@posthorn/domain/format';
import type { Relay } from '@posthorn/domain/relays';
import type { Context } from '@posthorn/platform';
import { addJitter } from '@posthorn/platform/values';
import type { CircuitBreaker } from '../smtp/circuit-breaker.js';
import { mergeTransactions, type SentEnvelope } from '../smtp/merge-transactions.js';
import type { SessionCounts } from '../smtp/pool.js';
import { type CommandReply, toDeferral } from '../smtp/reply.js';
import type { OutgoingMessage } from '../smtp/send-message.js';
import { createSlowDowns } from '../smtp/shared-slow-downs.js';
import type { Timeouts } from '../smtp/timeouts.js';
import type { OnEnvelope, Transaction } from '../smtp/transaction-result.js';
import { createHostMemory } from './connect-to-hosts.js';
import type { MailDns } from './dns-client.js';
import { findMailServers, type MailHost, type Site } from './find-mail-servers.js';
import type { PolicyFinder, StsPolicy } from './find-policy.js';
import { matchesPolicy } from './mta-sts-policy.js';
import { type OpenSite, openSite, type SiteTarget } from './site.js';
import { findSiteLimits } from './site-limits.js';
import { toReplyOfDns, toReplyOfNoSession } from './site-replies.js';

export type DirectContext = Pick<Context, 'config' | 'db' | 'incarnation' | 'log' | 'redis'> & {
  readonly dns: MailDns;
  readonly policies: PolicyFinder;
  readonly timeouts: Timeouts;
};

type Settings = Pick<Relay, 'name' | 'source' | 'ehlo' | 'connections'> & { readonly id: string };

/** Sessions with a site that was not used for so long are closed. */
const IDLE_SITE_MS = 5 * 60_000;
/** One site may take this part of the slots of a worker. */
const SHARE_OF_SLOTS = 0.25;

/**
 * A relay that gives each message to the recipients' own mail servers (RFC 5321, 5), one envelope per site. A site that
 * fails or wants less mail delays only its own mail.
 */
export function openDirectRelay(ctx: DirectContext, relay: Settings): CircuitBreaker {
  const sites = openSites(ctx, relay);
  const listOwnAddresses = createOwnAddressReader();
  const hasSource = () => isOnThisMachine(relay.source, listOwnAddresses);
  return {
    route: relay.name,
    isAvailable: hasSource,
    needsProbe: () => false,
    pausedUntil: () => 0,
    isRefusing: () => !hasSource(),
    async send(outgoing: OutgoingMessage, onEnvelope?: OnEnvelope): Promise<Transaction> {
      const { refused, groups } = await groupBySite({ ...ctx, listOwnAddresses }, relay, outgoing.envelope.to);
      const onEnded = reportEnvelopes(relay.name, groups, onEnvelope);
      const sent = await Promise.all(
        groups.map((group) => sendToSite(sites.get(group.site, group.hosts), outgoing, { ...group, onEnded })),
      );
      return mergeTransactions(refused, sent.flat(), {
        isForAll: () => false,
        toReply: toReplyOfNoSession,
      });
    },
    countRoom: sites.countRoom,
    countSessions: sites.countSessions,
    countSessionsBySite: sites.countSessionsBySite,
    close: sites.close,
  };
}

function openSites(ctx: DirectContext, relay: Settings) {
  const sites = new Map<string, OpenSite>();
  const { config, timeouts } = ctx;
  const connecting = { port: config.mxPort, timeouts, ehlo: relay.ehlo, source: relay.source };
  const computeSeconds = (step: number) => computePauseOfSite(config.retryScheduleSeconds, step);
  const siteContext = {
    ...ctx,
    connecting,
    memory: createHostMemory(),
    slowDowns: createSlowDowns(ctx, computeSeconds),
  };
  const connectionsHere = Math.max(1, Math.ceil(config.workerConcurrency * SHARE_OF_SLOTS));
  const closing = setInterval(closeIdle, IDLE_SITE_MS / 5).unref();

  function closeIdle(): void {
    for (const [key, site] of sites) {
      if (!site.isIdleFor(IDLE_SITE_MS)) continue;
      site.close();
      sites.delete(key);
    }
  }

  return {
    get(site: Site, hosts: readonly MailHost[]): OpenSite {
      const known = sites.get(site.key);
      if (known) return known;
      const byProvider = findSiteLimits(hosts.map(({ name }) => name));
      const limits = { ...byProvider, connections: relay.connections ?? byProvider.connections };
      const opened = openSite(siteContext, { relay, site, limits, connectionsHere });
      sites.set(site.key, opened);
      return opened;
    },
    /** @param place `<relay>/<name of the site>/<its key>` */
    async countRoom(place: string): Promise<number> {
      if (siteContext.slowDowns.find(place) !== null) return 0;
      return sites.get(place.split('/').at(-1) ?? '')?.countRoom() ?? 1;
    },
    countSessionsBySite: () => countSessionsBySite(sites),
    countSessions: () => sumSessions(sites),
    close(): void {
      clearInterval(closing);
      for (const site of sites.values()) site.close();
    },
  };
}

type Sites = ReadonlyMap<string, OpenSite>;

function countSessionsBySite(sites: Sites): Map<string, number> {
  const counts = new Map<string, number>();
  for (const site of sites.values()) {
    const open = site.countSessions().reduce((sum, session) => sum + session.open, 0);
    counts.set(site.name, (counts.get(site.name) ?? 0) + open);
  }
  return counts;
}

function sumSessions(sites: Sites): SessionCounts {
  const sum = { open: 0, idle: 0, opened: 0, failed: 0 };
  for (const counts of [...sites.values()].flatMap((site) => site.countSessions()))
    for (const name of Object.keys(sum) as Array<keyof SessionCounts>) sum[name] += counts[name];
  return sum;
}

/** A site that refuses us is asked again after five minutes at the latest, unless it names a longer time. */
const MAX_SECONDS = 300;

function computePauseOfSite(schedule: readonly number[], step: number): number {
  return addJitter(Math.min(schedule[Math.min(step, schedule.length - 1)] ?? MAX_SECONDS, MAX_SECONDS), 0.2);
}

/** Whether this machine has the addresses that we connect from. A source that is missing never falls back to another. */
function isOnThisMachine({ ipv4, ipv6 }: Relay['source'], listOwnAddresses: () => readonly string[]): boolean {
  const wanted = [ipv4, ipv6].filter((address) => address !== null);
  return wanted.length === 0 || wanted.every((address) => listOwnAddresses().includes(address));
}

/** Asking the system for each email would take a tenth of a millisecond. */
const ADDRESSES_MS = 2_000;

function createOwnAddressReader(): () => readonly string[] {
  let addresses: readonly string[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - readAt < ADDRESSES_MS) return addresses;
    readAt = performance.now();
    addresses = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
    return addresses;
  };
}

type LookUpContext = DirectContext & { readonly listOwnAddresses: () => readonly string[] };

type Group = SiteTarget & { readonly site: Site; readonly to: string[] };

/** Recipients whose domains have the same mail servers, and the same policy, share an envelope. */
async function groupBySite(
  ctx: LookUpContext,
  relay: Settings,
  to: readonly string[],
): Promise<{ readonly refused: ReadonlyMap<string, CommandReply>; readonly groups: readonly Group[] }> {
  const domains = [...new Set(to.map(toHost))];
  const found = new Map(
    await Promise.all(domains.map(async (domain) => [domain, await findTarget(ctx, relay, domain)] as const)),
  );
  const refused = new Map<string, CommandReply>();
  const groups = new Map<string, Group>();
  for (const address of to) {
    const target = found.get(toHost(address));
    if (target === undefined) continue;
    if ('meaning' in target) {
      refused.set(address, target);
      continue;
    }
    const key = `${target.site.key} ${target.policyOf}`;
    const group = groups.get(key) ?? { ...target, to: [] };
    group.to.push(address);
    groups.set(key, group);
  }
  return { refused, groups: [...groups.values()] };
}

/** @returns where mail for the domain goes, or why it goes nowhere */
async function findTarget(
  { config, dns, policies, listOwnAddresses }: LookUpContext,
  { ehlo, source }: Settings,
  domain: string,
): Promise<(SiteTarget & { readonly site: Site }) | CommandReply> {
  const own = [source.ipv4, source.ipv6].filter((address) => address !== null);
  const [servers, policy] = await Promise.all([
    findMailServers(dns, domain, {
      ownNames: [ehlo ?? hostname()],
      ownAddresses: own.length > 0 ? own : listOwnAddresses().filter((address) => !isLoopbackAddress(address)),
      hasIpv6Source: source.ipv6 !== null,
      allowedNetworks: config.mxAllowedNetworks,
    }),
    policies.findPolicy(domain),
  ]);
  if ('end' in servers) return toReplyOfDns(servers);
  const { site, hosts } = servers;
  if (policy?.mode !== 'enforce') return { site, hosts, policyOf: null };
  const allowed = await keepAllowed(policies, { domain, hosts, policy });
  return Array.isArray(allowed) ? { site, hosts: allowed, policyOf: domain } : toDeferral(allowed as string);
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

type Policed = { readonly domain: string; readonly hosts: readonly MailHost[]; readonly policy: StsPolicy };

/** @returns the hosts that the policy allows, or why there are none. A domain may have changed its policy meanwhile */
async function keepAllowed(policies: PolicyFinder, { domain, hosts, policy }: Policed): Promise<MailHost[] | string> {
  const keep = (current: StsPolicy) => hosts.filter(({ name }) => matchesPolicy(name, current));
  if (keep(policy).length > 0) return keep(policy);
  const fresh = await policies.findPolicy(domain, { isFresh: true });
  if (fresh?.mode !== 'enforce') return [...hosts];
  if (keep(fresh).length > 0) return keep(fresh);
  const names = hosts.map(({ name }) => name).join(', ');
  return `The MTA-STS policy of ${domain} (${fresh.mx.join(', ')}) does not allow its mail servers (${names})`;
}

type OnEnded = (sent: SentEnvelope) => Promise<void>;

/** Reports the results of each envelope while others are being sent, so that they are known if this worker dies. */
function reportEnvelopes(route: string, groups: readonly Group[], onEnvelope: OnEnvelope | undefined): OnEnded {
  let left = groups.reduce((sum, { to }) => sum + to.length, 0);
  return async ({ to, transaction }) => {
    left -= to.length;
    if (left > 0) await onEnvelope?.({ to, route, transaction });
  };
}

/** In envelopes of as many recipients as the site takes, one after another. */
async function sendToSite(
  site: OpenSite,
  outgoing: OutgoingMessage,
  { to, onEnded, ...target }: Group & { readonly onEnded: OnEnded },
): Promise<SentEnvelope[]> {
  const size = site.limits.recipientsPerMessage;
  const sent: SentEnvelope[] = [];
  for (let start = 0; start < to.length; start += size) {
    const part = to.slice(start, start + size);
    const envelope = { from: outgoing.envelope.from, to: part };
    const ended = { to: part, transaction: await site.send({ ...outgoing, envelope }, target) };
    sent.push(ended);
    await onEnded(ended);
  }
  return sent;
}
