export { networkMatcher, parseNetwork } from './cidr.js';
export { isCrossSite } from './cross-site.js';
export { toDomainName } from './domain-name.js';
export { parseUrl } from './parse-url.js';
