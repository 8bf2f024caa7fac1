import type { Socket } from 'node:net';
import knex, { type Knex } from 'knex';
import pg from 'pg';

const INT8 = 20;
const DATE = 1082;
const STATEMENT_TIMEOUT_MS = 5_000;
const LOCK_TIMEOUT_MS = 2_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
/** Longer than the server's own limits, so a connection that is silent for this long is dead. */
const SILENCE_MS = 7_000;

export type Db = Knex;

/**
 * A pool with a limit on every wait, so that a slow, frozen or missing Postgres causes a 503 and not a hang.
 * Postgres enforces the limits on statements. We enforce the one on silence, because a frozen server enforces
 * nothing.
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
      // Lets pg send a statement before the previous ones are answered (see pipeline.ts).
      pipeline: true,
    } as Knex.PgConnectionConfig,
    pool: { min: 0, max: poolSize, afterCreate: prepareConnection(silenceMs) },
    acquireConnectionTimeout: 2_000,
    // By default knex prints pool errors, but every caller reports its own failures.
    log: { warn: ignore, error: ignore, deprecate: ignore, debug: ignore },
  });
}

/** Members of pg's client that are missing from its types. */
type Client = {
  readonly connection: { readonly stream: Socket };
  readonly readyForQuery: boolean;
  query(text: string, done: (error: Error | null) => void): void;
};

function prepareConnection(silenceMs: number) {
  return (client: Client, done: (error: Error | null, client: Client) => void) => {
    endWhenSilent(client, silenceMs);
    client.query(USE_INDEXES, (error) => done(error, client));
  };
}

/**
 * Ends a connection whose server owes a reply but sends nothing. An idle connection stays open, because a query
 * might be about to use it.
 */
function endWhenSilent(client: Client, silenceMs: number): void {
  const { stream } = client.connection;
  stream.setTimeout(silenceMs, () => client.readyForQuery || stream.destroy());
}

/**
 * Each connection plans a statement once, and every statement has an index to use. A plan made while a table was
 * still empty would go on scanning the whole table after it has grown.
 */
const USE_INDEXES = 'set enable_seqscan = off';

/**
 * pg would return int8 as a string, but our counters are far below 2^53. It would return a date as midnight in the
 * process's time zone, but our dates are UTC days.
 */
function getTypeParser(oid: number, format: 'text' | 'binary') {
  if (oid === INT8) return Number;
  if (oid === DATE) return String;
  return pg.types.getTypeParser(oid, format as 'text');
}

function ignore(): void {}
