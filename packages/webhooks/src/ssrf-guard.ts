import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Config } from '@posthorn/platform/config';
import {
  createAllowedNetworks,
  createHostLookup,
  describeSpecialAddress,
  type HostLookup,
  normalizeIpAddress,
} from '@posthorn/platform/network';
import { buildConnector } from 'undici';

/**
 * Why webhooks may not reach a host.
 *
 * @property kind `address` if an address is forbidden, `https` if the URL needs https, `dns` if no address was found
 * @property reason completes a sentence that starts with the host or the URL
 */
type HostRefusal = { readonly kind: 'address' | 'https' | 'dns'; readonly reason: string };

/** Where to connect to, or why not to. */
export type CheckedHost = { readonly addresses: LookupAddress[] } | HostRefusal;

/** Decides which hosts webhooks may reach. */
export type SsrfGuard = {
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
 * Creates the check that keeps webhooks away from private networks (server-side request forgery, SSRF).
 *
 * @param config with the resolvers, and the networks that webhooks may reach although they are private or without https
 */
export function createSsrfGuard(
  config: Pick<Config, 'dnsServers' | 'webhookAllowedNetworks'>,
  lookUp: HostLookup = createHostLookup(config),
): SsrfGuard {
  const isAllowed = createAllowedNetworks(config.webhookAllowedNetworks);

  function findRefusal(address: string, { protocol }: Target): HostRefusal | null {
    if (isAllowed(address)) return null;
    if (protocol !== 'https:') return HTTPS_REQUIRED;
    const description = describeSpecialAddress(address);
    if (description === null) return null;
    return { kind: 'address', reason: `leads to ${normalizeIpAddress(address) ?? address}, which is ${description}` };
  }

  return {
    async check(target) {
      // Without an allowed network, no host can be reached without https.
      if (target.protocol !== 'https:' && config.webhookAllowedNetworks.length === 0) return HTTPS_REQUIRED;
      const host = toHost(target);
      const found = isIP(host) === 0 ? await lookUp(host) : { addresses: [host] };
      if ('reason' in found) return { kind: 'dns', reason: found.reason };
      for (const address of found.addresses) {
        const refusal = findRefusal(address, target);
        if (refusal) return refusal;
      }
      return { addresses: found.addresses.map((address) => ({ address, family: isIP(address) })) };
    },
  };
}

/** The host without the brackets of an IPv6 address. */
function toHost({ hostname }: Pick<Target, 'hostname'>): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** The guard refused the host. The message is a sentence. */
export class HostRefused extends Error {
  override name = 'HostRefused';
}

/**
 * How long to wait for one address of a host before the next one. Node's default of 250 ms is too short for receivers
 * on other continents.
 */
const ADDRESS_TIMEOUT_MS = 3_000;

/**
 * Opens connections only to addresses that the guard has checked. The check happens inside the lookup of the
 * connection, so no second lookup can give another address. TLS still sees the name.
 */
export function createGuardedConnector(
  guard: SsrfGuard,
  { url, timeoutMs }: { url: URL; timeoutMs: number },
): buildConnector.connector {
  const check = () => guard.check(url);
  const refused = (refusal: HostRefusal) => new HostRefused(describeRefusal(url, refusal));
  const lookup: LookupFunction = (_, { all }, callback) => {
    const answer = (checked: CheckedHost) => {
      const [first] = 'addresses' in checked ? checked.addresses : [];
      if ('reason' in checked) callback(refused(checked), '');
      else if (all) callback(null, checked.addresses);
      else callback(null, first?.address ?? '', first?.family);
    };
    check().then(answer, (error: Error) => callback(error, ''));
  };
  const connect = buildConnector({
    lookup,
    timeout: timeoutMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
  });
  // Node does not call `lookup` for IP addresses.
  if (isIP(toHost(url)) === 0) return connect;
  return (options, callback) => {
    check().then(
      (checked) => ('reason' in checked ? callback(refused(checked), null) : connect(options, callback)),
      (error: Error) => callback(error, null),
    );
  };
}

function describeRefusal({ hostname }: URL, { kind, reason }: HostRefusal): string {
  const isName = isIP(toHost({ hostname })) === 0;
  return isName && kind !== 'https' ? `${hostname} ${reason}` : `The URL ${reason}`;
}
