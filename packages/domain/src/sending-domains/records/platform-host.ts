import { returnPathDomain } from './return-path-domain.js';

/** The host that takes bounces for all domains: their MX lead here. */
export function bounceHost(platformDomain: string): string {
  return returnPathDomain(platformDomain);
}

/** The SPF record of the platform domain names the hosts that send; all others include it. */
export function spfIncluding(platformDomain: string): string {
  return `v=spf1 include:${platformDomain} ~all`;
}
