/**
 * Where bounces of a domain's mail go: the host of the envelope's sender. Its SPF record makes SPF
 * align with `from_` (RFC 7489, 3.1.2), its MX leads to the platform.
 */
export function returnPathDomain(name: string): string {
  return `bounces.${name}`;
}
