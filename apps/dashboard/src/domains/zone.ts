/** The zones that may hold the records of a domain: its own, or that of a domain above it. */
export function zonesOf(domain: string): string[] {
  const labels = domain.split('.');
  return labels.slice(0, -1).map((_, start) => labels.slice(start).join('.'));
}

/**
 * Most subdomains live in the zone of the domain above; what looks like `co.uk` is nobody's zone. A guess:
 * the person can choose another.
 */
export function guessZone(domain: string): string {
  const [own = domain, ...above] = zonesOf(domain);
  return above.findLast((zone) => !/^[a-z]{2,3}\.[a-z]{2}$/.test(zone)) ?? own;
}

/** What stands before the zone in the full name: `_posthorn` of `_posthorn.acme.example`. */
export function hostIn(zone: string, name: string): string {
  return name.slice(0, -zone.length - 1);
}
