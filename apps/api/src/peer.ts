import { isIPv6 } from 'node:net';
import type { Request } from 'express';

/**
 * Whom attempts are counted for: an IPv4 address, or the first half of an IPv6 address, for the other
 * half (64 bits of it) is the client's to choose anew with every request.
 */
export function peerOf({ ip = 'unknown' }: Pick<Request, 'ip'>): string {
  const [address = ''] = ip.split('%');
  if (!isIPv6(address)) return ip;
  // WHATWG URL writes every spelling in one: groups without leading zeros, the longest run of zeros as ::
  const host = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(host);
  if (mapped) return toIPv4(mapped[1] as string, mapped[2] as string);
  const [left = '', right = ''] = host.split('::');
  const [before, after] = [left, right].map((groups) => groups.split(':').filter(Boolean)) as [string[], string[]];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}

/** What a socket that listens on both calls `::ffff:192.0.2.1`. */
function toIPv4(high: string, low: string): string {
  const value = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.');
}
