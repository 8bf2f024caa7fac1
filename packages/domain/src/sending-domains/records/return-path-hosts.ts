/**
 * Where bounces of a domain's mail go: the host of the envelope's sender. Its SPF record makes SPF
 * align with `from_` (RFC 7489, 3.1.2), its MX leads to the platform.
 */
export function returnPathDomain(name: string): string {
  return `bounces.${name}`;
}

/** The host that takes bounces for all domains: their MX lead here. */
export function bounceHost(platformDomain: string): string {
  return returnPathDomain(platformDomain);
}

/** The SPF record of the platform domain names the hosts that send; all others include it. */
export function spfIncluding(platformDomain: string): string {
  return `v=spf1 include:${platformDomain} ~all`;
}
