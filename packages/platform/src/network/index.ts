export { createNetworkMatcher, parseNetwork } from './cidr.js';
export { normalizeIpAddress, toClientNetwork } from './client-network.js';
export { isCrossSite } from './cross-site.js';
export { createDns, type Dns, type DnsAnswer } from './dns.js';
export { toDomainName } from './domain-name.js';
export { createHostLookup, type HostLookup } from './host-lookup.js';
export { createAllowedNetworks, describeSpecialAddress, isLoopback } from './special-addresses.js';
export { decodePercents, parseUrl } from './url.js';
