import { isIPv4, isIPv6 } from 'node:net';

/**
 * Writes an IP address in one way: IPv6 without leading zeros and with the longest run of zeros shortened, and IPv4 that
 * a dual-stack socket reports as `::ffff:192.0.2.1` as IPv4. A zone, such as `%eth0`, is dropped.
 * @returns null if the text is not an address
 */
export function normalizeIpAddress(text: string): string | null {
  const [address = ''] = text.split('%');
  if (!isIPv6(address)) return isIPv4(address) ? address : null;
  // WHATWG URL normalizes IPv6.
  const host = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(host);
  return mapped ? toIPv4(mapped[1] as string, mapped[2] as string) : host;
}

/**
 * Identifies a client for limits: by its IPv4 address, or by the /64 network of its IPv6 address. A client can choose
 * the other 64 bits freely, so a limit per IPv6 address would have no effect. Every limit per IP address counts these.
 * @param text what is not an address is returned as it is
 */
export function toClientNetwork(text: string): string {
  const address = normalizeIpAddress(text) ?? text;
  if (!isIPv6(address)) return address;
  const [left = '', right = ''] = address.split('::');
  const [before, after] = [left, right].map((groups) => groups.split(':').filter(Boolean)) as [string[], string[]];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}

function toIPv4(high: string, low: string): string {
  const value = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.');
}
