import { isIP } from 'node:net';
import type { Context } from '@posthorn/platform';
import { isMxUrl, parseRelayUrl } from '@posthorn/platform/config';
import { createHostLookup, createNetworkMatcher, toClientNetwork } from '@posthorn/platform/network';

/** Loopback and private networks (RFC 6890). Nobody else reaches us from there. */
const PRIVATE_NETWORKS = [
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16'],
  ...['::1/128', 'fc00::/7', 'fe80::/10'],
];
/** How long the addresses of a relay are used before they are looked up again. */
const ADDRESSES_MS = 60_000;

/** Whether a report came from a relay of ours. @param peer an IPv4 address or an IPv6 /64; null if it is not known */
export type IsRelay = (peer: string | null) => Promise<boolean>;

/**
 * Anybody who gets our mail can write a bounce to its return path. A bounce is authenticated if it comes from the relay
 * that we gave the email to: from a private network, or from an address of a server in SMTP_URL or of another relay.
 * @param listRelayAddresses of all relays, as `host:port`
 */
export function createRelayMatcher(
  { config, listRelayAddresses }: Pick<Context, 'config'> & { readonly listRelayAddresses: () => Promise<string[]> },
  lookUp = createHostLookup(config),
  now = () => performance.now(),
): IsRelay {
  const isPrivate = createNetworkMatcher(PRIVATE_NETWORKS);
  const servers = config.smtpUrls.filter((url) => !isMxUrl(url)).map((url) => parseRelayUrl(url).host);
  let known: { readonly networks: Promise<ReadonlySet<string>>; readonly until: number } | undefined;

  async function findRelayNetworks(): Promise<ReadonlySet<string>> {
    const hosts = new Set([
      ...servers,
      ...(await listRelayAddresses()).filter((address) => address !== 'mx').map(toHost),
    ]);
    const found = await Promise.all(
      [...hosts].map(async (host) => (isIP(host) ? { addresses: [host] } : lookUp(host))),
    );
    return new Set(found.flatMap((each) => ('addresses' in each ? each.addresses.map(toClientNetwork) : [])));
  }

  return async (peer) => {
    if (peer === null) return false;
    const address = peer.replace(/\/64$/, '');
    if (isPrivate(address)) return true;
    if (known === undefined || known.until < now())
      known = { networks: findRelayNetworks(), until: now() + ADDRESSES_MS };
    try {
      return (await known.networks).has(toClientNetwork(address));
    } catch (error) {
      known = undefined;
      throw error;
    }
  };
}

/** @param address `host:port`, with brackets around an IPv6 address */
function toHost(address: string): string {
  return address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '');
}
