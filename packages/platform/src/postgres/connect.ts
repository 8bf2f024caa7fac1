import knex, { type Knex } from 'knex';
import { openConnector } from './connector.js';

/** Longer than the server's own time limits, so a connection that is silent for this long is dead. */
const SILENCE_MS = 6_000;

export type Db = Knex;

/**
 * A pool in which every wait has a time limit, so that a slow, frozen or missing Postgres causes a 503 instead of a
 * hang.
 * @param databaseUrl may name several hosts (see parse-database-url.ts)
 */
export function connectDatabase(databaseUrl: string, { poolSize = 10, silenceMs = SILENCE_MS } = {}): Db {
  const db = knex({
    client: 'pg',
    connection: {},
    pool: { min: 0, max: poolSize },
    acquireConnectionTimeout: 2_000,
    // By default knex prints pool errors, but every caller reports its own failures.
    log: { warn: ignore, error: ignore, deprecate: ignore, debug: ignore },
  });
  const { connect, leaveReadOnlyServer } = openConnector(databaseUrl, silenceMs);
  // knex itself can connect to only one host.
  db.client.acquireRawConnection = connect;
  db.client.leaveReadOnlyServer = leaveReadOnlyServer;
  return db;
}

function ignore(): void {}
