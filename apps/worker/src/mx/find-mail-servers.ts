import { createHash } from 'node:crypto';
import { toRegisteredDomain } from '@posthorn/domain/domains';
import type { MailDns } from './dns-client.js';
import {
  type AddressLack,
  type AddressOptions,
  createHostAddressFinder,
  type HostAddresses,
  type MailAddress,
} from './find-host-addresses.js';
import { toHostName } from './host-name.js';

/** @property name in lower case, with A-labels and without a dot at the end */
export type MailHost = {
  readonly name: string;
  readonly preference: number;
  readonly addresses: readonly MailAddress[];
};

/**
 * All domains with the same set of MX hosts are one site.
 *
 * @property key identifies the set of hosts, whatever their preferences are
 * @property name for people, such as `google.com`; several sites may share one
 */
export type Site = { readonly key: string; readonly name: string };

/** Why there is no server to deliver to. Whatever bounces here has the class `bad_domain`. `text` is a sentence. */
export type NoMailServers =
  | { readonly end: 'bounced'; readonly enhanced: '5.1.2' | '5.1.10' | '5.4.6'; readonly text: string }
  | { readonly end: 'deferred'; readonly text: string };

/** @property hosts in the order to try: by preference, and shuffled within one */
export type FoundMailServers = { readonly hosts: readonly MailHost[]; readonly site: Site } | NoMailServers;

export type MailServersOptions = AddressOptions & {
  /** Our names in EHLO. An MX with such a name is ourselves. */
  readonly ownNames: readonly string[];
  /** From 0 to 1. A test makes the order predictable. */
  readonly random?: () => number;
};

/** More would only make us ask many questions. */
const MAX_HOSTS = 32;

/** Finds the mail servers of a domain (RFC 5321, 5 and RFC 7505). It never rejects. */
export async function findMailServers(
  dns: MailDns,
  domain: string,
  { ownNames, random = Math.random, ...addressOptions }: MailServersOptions,
): Promise<FoundMailServers> {
  const name = toHostName(domain);
  if (name === null) return bounce('5.1.2', `${domain} is not a domain name`);
  const found = await findExchanges(dns, name);
  if ('end' in found) return found;
  const ours = new Set(ownNames.map(toHostName));
  const others = keepBefore(found.exchanges, (exchange) => ours.has(exchange.name));
  const hosts = await addAddresses(others, createHostAddressFinder(dns, addressOptions));
  const usable = keepBefore(hosts, (host) => findLack(host)?.kind === 'ours');
  const connectable = usable.filter(({ addresses }) => addresses.length > 0);
  if (connectable.length > 0) return { hosts: sortHosts(connectable, random), site: toSite(found.exchanges) };
  const own = found.exchanges.find((exchange) => ours.has(exchange.name)) ?? hosts.find(isOurs);
  return explain({ name, isImplicit: found.isImplicit, hosts: usable, own });
}

/** A host of an MX record, or the domain itself if it has none. */
type Exchange = { readonly name: string; readonly preference: number };

type Host = Exchange & HostAddresses;

/** @returns the MX hosts by preference, each once */
async function findExchanges(
  dns: MailDns,
  domain: string,
): Promise<{ readonly exchanges: readonly Exchange[]; readonly isImplicit: boolean } | NoMailServers> {
  const found = await dns.lookUp(domain, 'MX');
  // The A record must not be tried: another try may find MX records (RFC 5321, 5.1).
  if (found.status === 'failed') return defer(`The DNS look-up of the MX records of ${domain} failed (${found.why})`);
  if (found.status === 'no_such_name') return bounce('5.1.2', `The domain ${domain} does not exist`);
  if (found.status === 'no_records') return { exchanges: [{ name: domain, preference: 0 }], isImplicit: true };
  const exchanges = found.records.map(({ exchange, preference }) => ({
    name: exchange.toLowerCase().replace(/\.$/, ''),
    preference,
  }));
  // A null MX must be alone (RFC 7505, 3). Among others, it is no host.
  const named = exchanges.filter((exchange) => exchange.name !== '');
  if (named.length === 0) return bounce('5.1.10', `The domain ${domain} does not accept mail (null MX)`);
  const sorted = named.toSorted((a, b) => a.preference - b.preference || (a.name < b.name ? -1 : 1));
  const isFirst = ({ name }: Exchange, index: number) => sorted.findIndex((other) => other.name === name) === index;
  return { exchanges: sorted.filter(isFirst), isImplicit: false };
}

/** Leaves out ourselves, and the hosts with the same or a higher number, so that mail cannot loop (RFC 5321, 5.1). */
function keepBefore<Each extends Exchange>(hosts: readonly Each[], isSelf: (host: Each) => boolean): readonly Each[] {
  const limit = Math.min(...hosts.filter(isSelf).map(({ preference }) => preference));
  return hosts.filter(({ preference }) => preference < limit);
}

function addAddresses(
  exchanges: readonly Exchange[],
  findAddresses: (name: string) => Promise<HostAddresses>,
): Promise<readonly Host[]> {
  return Promise.all(
    exchanges.slice(0, MAX_HOSTS).map(async (exchange) => ({ ...exchange, ...(await findAddresses(exchange.name)) })),
  );
}

function findLack(host: HostAddresses): AddressLack | undefined {
  return 'lack' in host ? host.lack : undefined;
}

function isOurs(host: HostAddresses): boolean {
  return findLack(host)?.kind === 'ours';
}

function sortHosts(hosts: readonly Host[], random: () => number): readonly MailHost[] {
  return hosts
    .map(({ name, preference, addresses }) => ({ host: { name, preference, addresses }, place: random() }))
    .sort((a, b) => a.host.preference - b.host.preference || a.place - b.place)
    .map(({ host }) => host);
}

const SITE_KEY_CHARACTERS = 16;

function toSite(exchanges: readonly Exchange[]): Site {
  const names = exchanges.map(({ name }) => name);
  const hash = createHash('sha256').update(names.toSorted().join('\n')).digest('hex');
  return { key: hash.slice(0, SITE_KEY_CHARACTERS), name: toRegisteredDomain(names[0] ?? '') };
}

type Unreachable = {
  readonly name: string;
  readonly isImplicit: boolean;
  /** Without ourselves. */
  readonly hosts: readonly Host[];
  readonly own: Exchange | Host | undefined;
};

/** What may change by itself is deferred, even if other servers of the domain can never be used. */
function explain({ name, isImplicit, hosts, own }: Unreachable): NoMailServers {
  const find = (kind: AddressLack['kind']) => hosts.find((host) => findLack(host)?.kind === kind);
  const temporary = find('failed') ?? find('ipv6_only') ?? find('private');
  if (temporary) {
    const isPrivate = findLack(temporary)?.kind === 'private';
    const general = isPrivate ? `All addresses of the mail servers of ${name} are private: ` : '';
    return defer(`${general}${describeHost(temporary)}`);
  }
  if (own) return bounce('5.4.6', `Mail for ${name} would come back to us: ${describeHost(own)}`);
  if (isImplicit) return bounce('5.1.2', `The domain ${name} has neither MX records nor an address`);
  return bounce('5.1.2', `No mail server of ${name} has an address: ${hosts.map(describeHost).join(', ')}`);
}

function describeHost(host: Exchange | Host): string {
  const lack = 'addresses' in host ? findLack(host) : undefined;
  return `${host.name} ${lack?.text ?? 'is our own name'}`;
}

function defer(text: string): NoMailServers {
  return { end: 'deferred', text };
}

function bounce(enhanced: '5.1.2' | '5.1.10' | '5.4.6', text: string): NoMailServers {
  return { end: 'bounced', enhanced, text };
}
