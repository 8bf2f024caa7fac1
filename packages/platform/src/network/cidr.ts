import { BlockList, isIP, isIPv4 } from 'node:net';

const ADDRESS_BITS: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

/**
 * Reads a network in CIDR notation, such as `10.0.0.0/8` or `fd00::/8`. An address without a prefix length is a network
 * of one address.
 *
 * @returns the network with its prefix length, or null if the text is not a network
 */
export function parseNetwork(text: string): string | null {
  const [, address = '', prefix] = /^([^/%]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const bits = ADDRESS_BITS[isIP(address)];
  if (bits === undefined || Number(prefix ?? bits) > bits) return null;
  return `${address}/${prefix ?? bits}`;
}

/** Length of the prefix of `::ffff:0:0/96`, which contains all IPv4 addresses. */
const MAPPED_PREFIX_BITS = 96;

/**
 * @param networks in CIDR notation, as `parseNetwork` returns them
 * @returns a function that tells whether an address is in one of them. An IPv4 address must not be written as IPv6
 */
export function createNetworkMatcher(networks: readonly string[]): (address: string) => boolean {
  const [ipv4, ipv6] = [new BlockList(), new BlockList()];
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const bits = Number(prefix);
    const family = getFamily(address);
    if (family === 'ipv6') ipv6.addSubnet(address, bits, family);
    // A network of IPv4 addresses may be written as IPv6, but ::/0 contains none.
    if (family === 'ipv4' || bits >= MAPPED_PREFIX_BITS) ipv4.addSubnet(address, bits, family);
  }
  return (address) => {
    const family = getFamily(address);
    return (family === 'ipv4' ? ipv4 : ipv6).check(address, family);
  };
}

function getFamily(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}
