/**
 * The host of the envelope sender, where bounces of a domain's mail go. Its SPF record aligns SPF with `from_`
 * (RFC 7489, 3.1.2), and its MX points to the platform.
 */
export function returnPathDomain(name: string): string {
  return `bounces.${name}`;
}

/** The host that receives the bounces of all domains. Their MX records point to it. */
export function bounceHost(platformDomain: string): string {
  return returnPathDomain(platformDomain);
}

/** The SPF record of the platform domain lists the hosts that send, and the records of all other domains include it. */
export function spfIncluding(platformDomain: string): string {
  return `v=spf1 include:${platformDomain} ~all`;
}
