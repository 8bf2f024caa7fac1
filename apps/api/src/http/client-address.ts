import { normalizeIpAddress, toClientNetwork } from '@posthorn/platform/network';
import type { Request } from 'express';

/**
 * The client's IP address. TRUSTED_PROXY_HOPS decides whether it is the address of the connection or one that a proxy
 * reported.
 * @returns null if the proxy reported something that is not an address
 */
export function findIpAddress({ ip = '' }: Pick<Request, 'ip'>): string | null {
  return normalizeIpAddress(ip);
}

/** Identifies a client for rate limits: by its IPv4 address, or by the /64 network of its IPv6 address. */
export function toClientAddress({ ip = 'unknown' }: Pick<Request, 'ip'>): string {
  return toClientNetwork(ip);
}
