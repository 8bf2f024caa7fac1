import ipaddr from 'ipaddr.js';
import { createNetworkMatcher } from './cidr.js';
import { normalizeIpAddress } from './client-network.js';

/** Descriptions of the kinds of addresses that are not public. Kinds that are not listed are reserved for special purposes. */
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

/**
 * @param text an IP address. An IPv4 address that is written as IPv6, such as `::ffff:10.0.0.5`, counts as IPv4
 * @returns what the address is, such as `a private address`, or null if it is public
 */
export function describeSpecialAddress(text: string): string | null {
  return describe(ipaddr.process(text));
}

function describe(address: IpAddress): string | null {
  const range = address.range();
  if (range !== 'unicast') return KINDS[range] ?? RESERVED;
  if (METADATA_ADDRESSES.has(address.toString())) return "the address of a cloud provider's metadata service";
  if (address instanceof ipaddr.IPv6 && !address.match(PUBLIC_IPV6)) return RESERVED;
  return null;
}

/** Whether a connection to this address ends at this machine. */
export function isLoopback(text: string): boolean {
  return ['loopback', 'unspecified'].includes(ipaddr.process(text).range());
}

/** The IPv4 address that NAT64, 6to4 or Teredo would pass a connection on to, or null if there is none. */
function findEmbeddedIpv4(address: IpAddress): IpAddress | null {
  const embedded = EMBEDDED_IPV4[address.range()];
  if (!embedded) return null;
  const bytes = address.toByteArray().slice(embedded.start, embedded.start + 4);
  return new ipaddr.IPv4(bytes.map((byte) => byte ^ embedded.mask));
}

/**
 * @param networks that may be reached although they are not public, as `parseNetwork` returns them
 * @returns a function that tells whether an address is in one of them. Allowing a NAT64 gateway does not allow the
 *   private networks behind it
 */
export function createAllowedNetworks(networks: readonly string[]): (address: string) => boolean {
  const isInNetworks = createNetworkMatcher(networks);
  return (text) => {
    const embedded = findEmbeddedIpv4(ipaddr.process(text));
    return (
      isInNetworks(normalizeIpAddress(text) ?? text) &&
      (embedded === null || isInNetworks(embedded.toString()) || describe(embedded) === null)
    );
  };
}
