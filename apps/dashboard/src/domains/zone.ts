/** Zones that may contain the domain's records: its own and those of its parent domains. */
export function zonesOf(domain: string): string[] {
  const labels = domain.split('.');
  return labels.slice(0, -1).map((_, start) => labels.slice(start).join('.'));
}

/**
 * Guesses that the zone is the topmost parent domain, because most subdomains have no zone of their own. Suffixes such
 * as `co.uk` are skipped. The user can choose another zone.
 */
export function guessZone(domain: string): string {
  const [own = domain, ...above] = zonesOf(domain);
  return above.findLast((zone) => !/^[a-z]{2,3}\.[a-z]{2}$/.test(zone)) ?? own;
}

/** The full name without the zone: `_posthorn.acme.example` in `acme.example` gives `_posthorn`. */
export function hostIn(zone: string, name: string): string {
  return name.slice(0, -zone.length - 1);
}
