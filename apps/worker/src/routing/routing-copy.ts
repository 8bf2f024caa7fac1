import { releaseWaiting } from '@posthorn/domain/delivery';
import { type Routing, readRouting, readRoutingVersion, registerServers } from '@posthorn/domain/relays';
import type { Context } from '@posthorn/platform';
import { toRelayAddress } from '@posthorn/platform/config';
import { type FreshCopy, openFreshCopy } from './fresh-copy.js';

const NOTHING: Routing = { version: '', relays: [], routes: [] };

const EMAILS_PER_STATEMENT = 1_000;

/**
 * The relays and routes. After a change, emails that were held back are decided about again.
 * @param onChange called with every new version, before emails are sent by it
 */
export function openRouting(
  ctx: Pick<Context, 'config' | 'db' | 'log' | 'now'>,
  onChange: (routing: Routing) => void,
): FreshCopy<Routing> {
  const { config, db, log } = ctx;
  const report = (error: unknown) => log.debug({ error }, 'routing_not_read');

  async function readAgain(known: Routing): Promise<Routing> {
    if (known === NOTHING) await registerServers(ctx, config.smtpUrls.map(toRelayAddress));
    else if ((await readRoutingVersion(db)) === known.version) return known;
    const routing = await readRouting(db);
    onChange(routing);
    if (known !== NOTHING) void releaseAll().catch(report);
    return routing;
  }

  async function releaseAll(): Promise<void> {
    while ((await releaseWaiting(db, EMAILS_PER_STATEMENT)) === EMAILS_PER_STATEMENT);
  }

  return openFreshCopy(NOTHING, readAgain, report);
}
