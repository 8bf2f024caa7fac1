import type { Context } from '@posthorn/platform';
import { toDomainName } from '@posthorn/platform/network';
import { hasTrackingHost } from './domain-store.js';

/** Whether links of ours lead to this host, so that a proxy may get a certificate for it. */
export async function servesTrackingHost(
  { config, db }: Pick<Context, 'config' | 'db'>,
  host: string,
): Promise<boolean> {
  if (config.trackingUrl === null) return false;
  const name = host.toLowerCase();
  if ('fault' in toDomainName(name)) return false;
  if (name === new URL(config.trackingUrl).hostname) return true;
  const domain = config.trackingCname === null ? null : domainOfTrackingHost(name);
  return domain !== null && hasTrackingHost(db, domain);
}

const PREFIX = 'links.';

/** The host of the links in a domain's emails, if its CNAME record points to the tracking listener. */
export function toTrackingHost(domain: string): string {
  return `${PREFIX}${domain}`;
}

/** @returns null for a host that no domain can have */
function domainOfTrackingHost(host: string): string | null {
  return host.startsWith(PREFIX) ? host.slice(PREFIX.length) : null;
}
