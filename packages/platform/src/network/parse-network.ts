import { isIP } from 'node:net';

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
