import type { Socket } from 'node:net';
import knex, { type Knex } from 'knex';
import pg from 'pg';

const INT8 = 20;
const DATE = 1082;
const STATEMENT_TIMEOUT_MS = 5_000;
const LOCK_TIMEOUT_MS = 2_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
/** Longer than the server's own limits: a connection on which nothing moves for so long is dead. */
const SILENCE_MS = 7_000;

export type Db = Knex;

/**
 * A pool whose every wait is bounded, so that a slow, frozen or absent Postgres becomes a 503, not a
 * hang. The limits on statements are kept by the server; the one on silence by us, for a frozen
 * server keeps none.
 */
export function connectDatabase(databaseUrl: string, { poolSize = 10, silenceMs = SILENCE_MS } = {}): Db {
  return knex({
    client: 'pg',
    connection: {
      connectionString: databaseUrl,
      connectionTimeoutMillis: 2_000,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      lock_timeout: LOCK_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
      types: { getTypeParser },
      // Statements may be sent before those in front of them are answered (database/pipeline.ts).
      pipeline: true,
    } as Knex.PgConnectionConfig,
    pool: { min: 0, max: poolSize, afterCreate: prepareConnection(silenceMs) },
    acquireConnectionTimeout: 2_000,
    // Without a logger of its own knex prints pool errors; every caller reports its own failure.
    log: { warn: ignore, error: ignore, deprecate: ignore, debug: ignore },
  });
}

/** The parts of pg's client that its types leave out. */
type Client = {
  readonly connection: { readonly stream: Socket };
  readonly readyForQuery: boolean;
  query(text: string, done: (error: Error | null) => void): void;
};

function prepareConnection(silenceMs: number) {
  return (client: Client, done: (error: Error | null, client: Client) => void) => {
    endWhenSilent(client, silenceMs);
    client.query(BY_INDEX, (error) => done(error, client));
  };
}

/**
 * Ends a connection whose server owes an answer and sends nothing. An idle one stays: it might be
 * taken for a query in the very moment of its end.
 */
function endWhenSilent(client: Client, silenceMs: number): void {
  const { stream } = client.connection;
  stream.setTimeout(silenceMs, () => client.readyForQuery || stream.destroy());
}

/**
 * Statements are planned once for a connection, and what they ask for has an index. A plan that was made while a
 * table was known to be empty would read all of it for each row it looks up, long after it has grown.
 */
const BY_INDEX = 'set enable_seqscan = off';

/**
 * Counters are int8 and far below 2^53, pg would hand them out as strings; a date is a day's name,
 * pg would make it midnight in the process' own time zone.
 */
function getTypeParser(oid: number, format: 'text' | 'binary') {
  if (oid === INT8) return Number;
  if (oid === DATE) return String;
  return pg.types.getTypeParser(oid, format as 'text');
}

function ignore(): void {}
