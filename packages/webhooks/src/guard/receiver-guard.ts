import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { Config } from '@posthorn/domain';
import { addressFault, embeddedIpv4, type IpAddress, parseAddress } from './address-fault.js';
import { findAddresses } from './find-addresses.js';
import { networkMatcher } from './network-matcher.js';

/** Where to connect to, or why not to. A fault completes a sentence that starts with the host or the URL. */
export type CheckedHost = { readonly addresses: LookupAddress[] } | { readonly fault: string };

/** Decides which hosts webhooks may reach. */
export type ReceiverGuard = {
  /**
   * Checks every address of a host. One forbidden address makes the whole host forbidden. A connection must use only
   * the returned addresses, because DNS can give others the next time.
   */
  check(target: Target): Promise<CheckedHost>;
};

/** @property hostname as in a URL: a name, an IPv4 address, or an IPv6 address in brackets */
export type Target = { readonly hostname: string; readonly protocol: string };

export const HTTPS_REQUIRED = 'must begin with https://';

/**
 * Opens the check that keeps webhooks away from private networks.
 *
 * @param config with the resolvers, and the networks that webhooks may reach although they are private or without https
 */
export function openReceiverGuard(config: Pick<Config, 'dnsServers' | 'webhookAllowedNetworks'>): ReceiverGuard {
  const isInAllowedNetwork = networkMatcher(config.webhookAllowedNetworks);

  /** Allowing a NAT64 gateway does not allow the private networks behind it. */
  function isAllowed(address: IpAddress): boolean {
    const embedded = embeddedIpv4(address);
    return (
      isInAllowedNetwork(address) &&
      (embedded === null || isInAllowedNetwork(embedded) || addressFault(embedded) === null)
    );
  }

  function faultOf(text: string, { protocol }: Target): string | null {
    const address = parseAddress(text);
    if (isAllowed(address)) return null;
    if (protocol !== 'https:') return HTTPS_REQUIRED;
    const fault = addressFault(address);
    return fault && `leads to ${address.toString()}, which is ${fault}`;
  }

  return {
    async check(target) {
      // Without an allowed network, no host can be reached without https.
      if (target.protocol !== 'https:' && config.webhookAllowedNetworks.length === 0) return { fault: HTTPS_REQUIRED };
      const host = hostOf(target);
      const found = isIP(host) === 0 ? await findAddresses(config, host) : { addresses: [host] };
      if ('fault' in found) return found;
      for (const address of found.addresses) {
        const fault = faultOf(address, target);
        if (fault) return { fault };
      }
      return { addresses: found.addresses.map((address) => ({ address, family: isIP(address) })) };
    },
  };
}

/** The host without the brackets of an IPv6 address. */
export function hostOf({ hostname }: Pick<Target, 'hostname'>): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
