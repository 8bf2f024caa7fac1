export { toDomainName } from './domain-name.js';
export { networkMatcher } from './network-matcher.js';
export { parseNetwork } from './parse-network.js';
export { parseUrl } from './parse-url.js';
