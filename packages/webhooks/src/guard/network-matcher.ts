import ipaddr from 'ipaddr.js';
import type { IpAddress } from './ip-address.js';

/** Length of the prefix of `::ffff:0:0/96`, which contains all IPv4 addresses. */
const MAPPED_PREFIX_BITS = 96;

/**
 * @param networks in CIDR notation, as in the configuration
 * @returns a function that tells whether an address is in one of them
 */
export function networkMatcher(networks: readonly string[]): (address: IpAddress) => boolean {
  const parsed = networks.map(parseNetwork);
  return (address) =>
    parsed.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

/** A network of IPv4 addresses that are written as IPv6 becomes an IPv4 network, because addresses do too. */
function parseNetwork(text: string): [IpAddress, number] {
  const [network, bits] = ipaddr.parseCIDR(text);
  const isMapped = network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && bits >= MAPPED_PREFIX_BITS;
  return isMapped ? [network.toIPv4Address(), bits - MAPPED_PREFIX_BITS] : [network, bits];
}
