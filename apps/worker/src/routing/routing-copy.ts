import { type Routing, readRouting, readRoutingVersion, registerServers } from '@posthorn/domain/relays';
import type { Context } from '@posthorn/platform';
import { toRelayAddress } from '@posthorn/platform/config';
import { type FreshCopy, openFreshCopy } from './fresh-copy.js';

const NOTHING: Routing = { version: '', relays: [], routes: [] };

/**
 * The relays and routes.
 * @param onChange called with every new version, before emails are sent by it
 */
export function openRouting(
  ctx: Pick<Context, 'config' | 'db' | 'log' | 'now'>,
  onChange: (routing: Routing) => void,
): FreshCopy<Routing> {
  const { config, db, log } = ctx;

  async function readAgain(known: Routing): Promise<Routing> {
    if (known === NOTHING) await registerServers(ctx, config.smtpUrls.map(toRelayAddress));
    else if ((await readRoutingVersion(db)) === known.version) return known;
    const routing = await readRouting(db);
    onChange(routing);
    return routing;
  }

  return openFreshCopy(NOTHING, readAgain, (error) => log.debug({ error }, 'routing_not_read'));
}
