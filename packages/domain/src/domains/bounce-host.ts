import type { Context } from '@posthorn/platform';
import { toBounceHost } from './dns-records.js';
import { hasVerifiedDomain } from './domain-store.js';

const PREFIX = toBounceHost('');

/** Whether bounces come to this host: it is the platform's, or that of a verified domain. Only the latter takes a query. */
export async function isBounceHost({ config, db }: Pick<Context, 'config' | 'db'>, host: string): Promise<boolean> {
  const name = host.toLowerCase().replace(/\.$/, '');
  if (name === toBounceHost(config.platformSenderDomain)) return true;
  return name.startsWith(PREFIX) && hasVerifiedDomain(db, name.slice(PREFIX.length));
}
