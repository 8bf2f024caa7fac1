const PREFIX = 'links.';

/** The host of the links in a domain's emails, if its CNAME record points to the tracking listener. */
export function trackingHost(domain: string): string {
  return `${PREFIX}${domain}`;
}

/** @returns null for a host that no domain can have */
export function domainOfTrackingHost(host: string): string | null {
  return host.startsWith(PREFIX) ? host.slice(PREFIX.length) : null;
}
