import { isIPv4, isIPv6 } from 'node:net';
import type { Request } from 'express';

/**
 * The client's IP address. TRUSTED_PROXY_HOPS decides whether it is the address of the connection or one that a proxy
 * reported.
 * @returns null if the proxy reported something that is not an address
 */
export function findIpAddress({ ip = '' }: Pick<Request, 'ip'>): string | null {
  const [address = ''] = ip.split('%');
  if (!isIPv6(address)) return isIPv4(address) ? address : null;
  // WHATWG URL normalizes IPv6: it removes leading zeros and shortens the longest run of zeros to ::
  const host = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(host);
  return mapped ? toIPv4(mapped[1] as string, mapped[2] as string) : host;
}

/**
 * Identifies a client for rate limits: by its IPv4 address, or by the /64 network of its IPv6 address. A client can
 * choose the other 64 bits freely, so a limit per IPv6 address would have no effect.
 */
export function toClientAddress({ ip = 'unknown' }: Pick<Request, 'ip'>): string {
  const address = findIpAddress({ ip }) ?? ip;
  if (!isIPv6(address)) return address;
  const [left = '', right = ''] = address.split('::');
  const [before, after] = [left, right].map((groups) => groups.split(':').filter(Boolean)) as [string[], string[]];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}

/** A dual-stack socket reports IPv4 clients as `::ffff:192.0.2.1`. */
function toIPv4(high: string, low: string): string {
  const value = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.');
}
