import type { Knex } from 'knex';
import { readRelays, type SealedRelay } from './relay-store.js';
import type { Route } from './route.js';
import { readRoutes } from './route-store.js';

/** All relays and routes, as they were at one moment. */
export type Routing = {
  /** Rises with every change. */
  readonly version: string;
  readonly relays: readonly SealedRelay[];
  /** In the order in which they are asked. */
  readonly routes: readonly Route[];
};

export async function readRouting(db: Knex): Promise<Routing> {
  return db.transaction(
    async (trx) => ({
      version: await readRoutingVersion(trx),
      relays: await readRelays(trx),
      routes: await readRoutes(trx),
    }),
    { isolationLevel: 'repeatable read', readOnly: true },
  );
}

/** Read once a second by every worker, so it does not read the tables. */
export async function readRoutingVersion(db: Knex): Promise<string> {
  const row = await db('routing_version').first('version');
  return String(row?.version);
}

/** Locks relays and routes against other changes until the transaction ends, and lets workers read them again. */
export async function beginRoutingChange(trx: Knex): Promise<void> {
  await trx('routing_version').increment('version', 1);
}
