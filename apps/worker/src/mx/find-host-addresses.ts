import { isIPv6 } from 'node:net';
import {
  createAllowedNetworks,
  describeSpecialAddress,
  isLoopback,
  normalizeIpAddress,
} from '@posthorn/platform/network';
import type { DnsFault, MailDns } from './dns-client.js';

export type MailAddress = { readonly address: string; readonly family: 4 | 6 };

/**
 * Why we can connect to no address of a host.
 * - ours: one of its addresses is ours, or all lead back to this machine
 * - failed: DNS did not answer, so it may have an address
 */
export type AddressLack = {
  readonly kind: 'ours' | 'failed' | 'private' | 'ipv6_only' | 'missing';
  /** Completes a sentence that starts with the host. */
  readonly text: string;
};

export type HostAddresses =
  | { readonly addresses: readonly MailAddress[] }
  | { readonly addresses: readonly []; readonly lack: AddressLack };

export type AddressOptions = {
  /** Our source addresses. A host with such an address is ourselves. */
  readonly ownAddresses: readonly string[];
  readonly hasIpv6Source: boolean;
  /** MX_ALLOWED_NETWORKS, as `parseNetwork` returns them. */
  readonly allowedNetworks: readonly string[];
};

/** More would only make an attempt longer. */
const MAX_ADDRESSES = 16;

export type FindHostAddresses = (host: string) => Promise<HostAddresses>;

/** @returns a function that finds the addresses of a host to connect to, those of IPv6 first */
export function createHostAddressFinder(dns: MailDns, options: AddressOptions): FindHostAddresses {
  const { hasIpv6Source } = options;
  const isOwn = createOwnAddressCheck(options);
  const isAllowed = createAllowedNetworks(options.allowedNetworks);

  function findRefusal(address: string): 'loopback' | 'private' | null {
    if (isAllowed(address)) return null;
    if (isLoopback(address)) return 'loopback';
    return describeSpecialAddress(address) === null ? null : 'private';
  }

  return async (host) => {
    // RFC 6761, 6.3. A resolver may know such a name.
    if (/(^|\.)localhost$/.test(host)) return toLack('ours', 'is this machine');
    const { addresses, fault } = await askForAddresses(dns, host, hasIpv6Source);
    const own = addresses.find(isOwn);
    if (own !== undefined) return toLack('ours', `has the address ${own}, which is one of ours`);
    const open = addresses.filter((address) => findRefusal(address) === null);
    const usable = open.filter((address) => hasIpv6Source || !isIPv6(address)).map(toMailAddress);
    if (usable.length > 0) return { addresses: usable.toSorted((a, b) => b.family - a.family) };
    return explainLack({ addresses, open, fault, isPrivate: (address) => findRefusal(address) === 'private' });
  };
}

type Lacking = {
  readonly addresses: readonly string[];
  readonly open: readonly string[];
  readonly fault: DnsFault | null;
  readonly isPrivate: (address: string) => boolean;
};

function explainLack({ addresses, open, fault, isPrivate }: Lacking): HostAddresses {
  const [address] = addresses;
  if (fault !== null) return toLack('failed', `could not be looked up in DNS (${fault})`);
  if (address === undefined) return toLack('missing', 'has no address in DNS');
  if (open.length > 0) return toLack('ipv6_only', 'has only IPv6 addresses, and this relay has no IPv6 source');
  const found = addresses.find(isPrivate);
  if (found === undefined) return toLack('ours', `has the address ${address}, which is this machine`);
  return toLack('private', `has the address ${found}, which is ${describeSpecialAddress(found)}`);
}

function toLack(kind: AddressLack['kind'], text: string): HostAddresses {
  return { addresses: [], lack: { kind, text } };
}

function toMailAddress(address: string): MailAddress {
  return { address, family: isIPv6(address) ? 6 : 4 };
}

/**
 * A network that is allowed because of other machines in it, such as 127.0.0.0/8 in a test, may contain an address of
 * ours. So ours must be allowed by itself.
 */
function createOwnAddressCheck({ ownAddresses, allowedNetworks }: AddressOptions): (address: string) => boolean {
  const allowed = new Set(allowedNetworks);
  const own = new Set(ownAddresses.map((address) => normalizeIpAddress(address) ?? address));
  return (address) => own.has(address) && !allowed.has(`${address}/${isIPv6(address) ? 128 : 32}`);
}

/** Without an IPv6 source, IPv6 addresses only matter to explain why there is no other. */
async function askForAddresses(
  dns: MailDns,
  host: string,
  hasIpv6Source: boolean,
): Promise<{ readonly addresses: readonly string[]; readonly fault: DnsFault | null }> {
  const askIpv4 = dns.lookUp(host, 'A');
  const needsIpv6 = hasIpv6Source || (await askIpv4).status === 'no_records';
  const results = await Promise.all([askIpv4, ...(needsIpv6 ? [dns.lookUp(host, 'AAAA')] : [])]);
  const found = results.flatMap((result) => (result.status === 'records' ? result.records : []));
  const [fault = null] = results.flatMap((result) => (result.status === 'failed' ? [result.why] : []));
  const addresses = new Set(found.map((address) => normalizeIpAddress(address) ?? address));
  return { addresses: [...addresses].slice(0, MAX_ADDRESSES), fault };
}
