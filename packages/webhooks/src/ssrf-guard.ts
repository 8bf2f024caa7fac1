import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Config } from '@posthorn/platform/config';
import { createHostLookup, createNetworkMatcher, type HostLookup } from '@posthorn/platform/network';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';

/**
 * Why webhooks may not reach a host.
 *
 * @property kind `address` if an address is forbidden, `https` if the URL needs https, `dns` if no address was found
 * @property reason completes a sentence that starts with the host or the URL
 */
type HostRefusal = { readonly kind: 'address' | 'https' | 'dns'; readonly reason: string };

/** Where to connect to, or why not to. */
export type CheckedHost = { readonly addresses: LookupAddress[] } | HostRefusal;

/** Decides which hosts webhooks may reach. */
export type SsrfGuard = {
  /**
   * Checks every address of a host. One forbidden address makes the whole host forbidden. A connection must use only
   * the returned addresses, because DNS can give others the next time.
   */
  check(target: Target): Promise<CheckedHost>;
};

/** @property hostname as in a URL: a name, an IPv4 address, or an IPv6 address in brackets */
type Target = { readonly hostname: string; readonly protocol: string };

export const HTTPS_REQUIRED: HostRefusal = { kind: 'https', reason: 'must begin with https://' };

/**
 * Creates the check that keeps webhooks away from private networks (server-side request forgery, SSRF).
 *
 * @param config with the resolvers, and the networks that webhooks may reach although they are private or without https
 */
export function createSsrfGuard(
  config: Pick<Config, 'dnsServers' | 'webhookAllowedNetworks'>,
  lookUp: HostLookup = createHostLookup(config),
): SsrfGuard {
  const isInNetworks = createNetworkMatcher(config.webhookAllowedNetworks);
  const isInAllowedNetwork = (address: IpAddress) => isInNetworks(address.toString());

  /** Allowing a NAT64 gateway does not allow the private networks behind it. */
  function isAllowed(address: IpAddress): boolean {
    const embedded = findEmbeddedIpv4(address);
    return (
      isInAllowedNetwork(address) &&
      (embedded === null || isInAllowedNetwork(embedded) || describeForbidden(embedded) === null)
    );
  }

  function findRefusal(text: string, { protocol }: Target): HostRefusal | null {
    const address = parseAddress(text);
    if (isAllowed(address)) return null;
    if (protocol !== 'https:') return HTTPS_REQUIRED;
    const description = describeForbidden(address);
    if (description === null) return null;
    return { kind: 'address', reason: `leads to ${address.toString()}, which is ${description}` };
  }

  return {
    async check(target) {
      // Without an allowed network, no host can be reached without https.
      if (target.protocol !== 'https:' && config.webhookAllowedNetworks.length === 0) return HTTPS_REQUIRED;
      const host = toHost(target);
      const found = isIP(host) === 0 ? await lookUp(host) : { addresses: [host] };
      if ('reason' in found) return { kind: 'dns', reason: found.reason };
      for (const address of found.addresses) {
        const refusal = findRefusal(address, target);
        if (refusal) return refusal;
      }
      return { addresses: found.addresses.map((address) => ({ address, family: isIP(address) })) };
    },
  };
}

/** The host without the brackets of an IPv6 address. */
function toHost({ hostname }: Pick<Target, 'hostname'>): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** The guard refused the host. The message is a sentence. */
export class HostRefused extends Error {
  override name = 'HostRefused';
}

/**
 * How long to wait for one address of a host before the next one. Node's default of 250 ms is too short for receivers
 * on other continents.
 */
const ADDRESS_TIMEOUT_MS = 3_000;

/**
 * Opens connections only to addresses that the guard has checked. The check happens inside the lookup of the
 * connection, so no second lookup can give another address. TLS still sees the name.
 */
export function createGuardedConnector(
  guard: SsrfGuard,
  { url, timeoutMs }: { url: URL; timeoutMs: number },
): buildConnector.connector {
  const check = () => guard.check(url);
  const refused = (refusal: HostRefusal) => new HostRefused(describeRefusal(url, refusal));
  const lookup: LookupFunction = (_, { all }, callback) => {
    const answer = (checked: CheckedHost) => {
      const [first] = 'addresses' in checked ? checked.addresses : [];
      if ('reason' in checked) callback(refused(checked), '');
      else if (all) callback(null, checked.addresses);
      else callback(null, first?.address ?? '', first?.family);
    };
    check().then(answer, (error: Error) => callback(error, ''));
  };
  const connect = buildConnector({
    lookup,
    timeout: timeoutMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
  });
  // Node does not call `lookup` for IP addresses.
  if (isIP(toHost(url)) === 0) return connect;
  return (options, callback) => {
    check().then(
      (checked) => ('reason' in checked ? callback(refused(checked), null) : connect(options, callback)),
      (error: Error) => callback(error, null),
    );
  };
}

function describeRefusal({ hostname }: URL, { kind, reason }: HostRefusal): string {
  const isName = isIP(toHost({ hostname })) === 0;
  return isName && kind !== 'https' ? `${hostname} ${reason}` : `The URL ${reason}`;
}

/** Descriptions of the kinds of addresses that webhooks may not reach. Kinds that are not listed are reserved for special purposes. */
const KINDS: Readonly<Record<string, string>> = {
  unspecified: 'an unspecified address',
  broadcast: 'a broadcast address',
  multicast: 'a multicast address',
  linkLocal: 'a link-local address',
  loopback: 'a loopback address',
  carrierGradeNat: 'a private address of a network provider (CGNAT)',
  private: 'a private address',
  uniqueLocal: 'a private address',
  deprecatedSiteLocal: 'a private address',
  rfc6052: 'a NAT64 address',
  rfc6145: 'an address that stands for an IPv4 address',
  '6to4': 'a 6to4 address',
  teredo: 'a Teredo address',
};

const RESERVED = 'a reserved address';

/** These metadata services of cloud providers have addresses that look public. 168.63.129.16 belongs to Azure. */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16']);

/** All public IPv6 addresses are in this network (IANA IPv6 Address Space). It excludes, for example, `::/96`. */
const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Kinds of IPv6 addresses that embed an IPv4 address: the position of its first byte, and the XOR mask. */
const EMBEDDED_IPV4: Readonly<Record<string, { start: number; mask: number }>> = {
  rfc6052: { start: 12, mask: 0 },
  '6to4': { start: 2, mask: 0 },
  teredo: { start: 12, mask: 0xff },
};

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** Reads an address. An IPv4 address that is written as IPv6, such as `::ffff:10.0.0.5`, becomes IPv4. */
function parseAddress(text: string): IpAddress {
  return ipaddr.process(text);
}

/** @returns what the address is, such as `a private address`, or null if it is public */
function describeForbidden(address: IpAddress): string | null {
  const range = address.range();
  if (range !== 'unicast') return KINDS[range] ?? RESERVED;
  if (METADATA_ADDRESSES.has(address.toString())) return "the address of a cloud provider's metadata service";
  if (address instanceof ipaddr.IPv6 && !address.match(PUBLIC_IPV6)) return RESERVED;
  return null;
}

/** The IPv4 address that NAT64, 6to4 or Teredo would pass a connection on to, or null if there is none. */
function findEmbeddedIpv4(address: IpAddress): IpAddress | null {
  const embedded = EMBEDDED_IPV4[address.range()];
  if (!embedded) return null;
  const bytes = address.toByteArray().slice(embedded.start, embedded.start + 4);
  return new ipaddr.IPv4(bytes.map((byte) => byte ^ embedded.mask));
}
