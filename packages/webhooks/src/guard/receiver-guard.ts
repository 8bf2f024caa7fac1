import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { Config } from '@posthorn/platform/config';
import { networkMatcher } from '@posthorn/platform/network';
import { findAddresses } from './find-addresses.js';
import { describeForbidden, embeddedIpv4, type IpAddress, parseAddress } from './ip-address.js';

/**
 * Why webhooks may not reach a host.
 *
 * @property kind `address` if an address is forbidden, `https` if the URL needs https, `dns` if no address was found
 * @property reason completes a sentence that starts with the host or the URL
 */
export type HostRefusal = { readonly kind: 'address' | 'https' | 'dns'; readonly reason: string };

/** Where to connect to, or why not to. */
export type CheckedHost = { readonly addresses: LookupAddress[] } | HostRefusal;

/** Decides which hosts webhooks may reach. */
export type ReceiverGuard = {
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
 * Creates the check that keeps webhooks away from private networks.
 *
 * @param config with the resolvers, and the networks that webhooks may reach although they are private or without https
 */
export function createReceiverGuard(config: Pick<Config, 'dnsServers' | 'webhookAllowedNetworks'>): ReceiverGuard {
  const isInNetworks = networkMatcher(config.webhookAllowedNetworks);
  const isInAllowedNetwork = (address: IpAddress) => isInNetworks(address.toString());

  /** Allowing a NAT64 gateway does not allow the private networks behind it. */
  function isAllowed(address: IpAddress): boolean {
    const embedded = embeddedIpv4(address);
    return (
      isInAllowedNetwork(address) &&
      (embedded === null || isInAllowedNetwork(embedded) || describeForbidden(embedded) === null)
    );
  }

  function refusalOf(text: string, { protocol }: Target): HostRefusal | null {
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
      const host = hostOf(target);
      const found = isIP(host) === 0 ? await findAddresses(config, host) : { addresses: [host] };
      if ('reason' in found) return { kind: 'dns', reason: found.reason };
      for (const address of found.addresses) {
        const refusal = refusalOf(address, target);
        if (refusal) return refusal;
      }
      return { addresses: found.addresses.map((address) => ({ address, family: isIP(address) })) };
    },
  };
}

/** The host without the brackets of an IPv6 address. */
export function hostOf({ hostname }: Pick<Target, 'hostname'>): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
