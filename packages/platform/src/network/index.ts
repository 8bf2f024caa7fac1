export { createNetworkMatcher, parseNetwork } from './cidr.js';
export { toDomainName } from './domain-name.js';
export { parseUrl } from './parse-url.js';
