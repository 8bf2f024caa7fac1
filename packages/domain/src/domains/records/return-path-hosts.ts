/**
 * The host of the envelope sender, where bounces for the domain's mail are sent. The host's SPF record aligns SPF with
 * `from_` (RFC 7489, 3.1.2), and its MX record points to the platform.
 */
export function returnPathDomain(name: string): string {
  return `bounces.${name}`;
}

/** The host that receives the bounces for all domains. The MX records of their return paths point to it. */
export function bounceHost(platformDomain: string): string {
  return returnPathDomain(platformDomain);
}

/** The SPF record of the platform domain lists the hosts that send mail. The records of all return paths include it. */
export function spfIncluding(platformDomain: string): string {
  return `v=spf1 include:${platformDomain} ~all`;
}
