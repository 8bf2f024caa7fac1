import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import pg from 'pg';

const INT8 = 20;
const DATE = 1082;
const CONNECT_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 5_000;
const LOCK_TIMEOUT_MS = 2_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
const READ_ONLY_SQL_TRANSACTION = '25006';
const LOCK_NOT_AVAILABLE = '55P03';

/** A pg client with members that are missing from its types. */
export type Client = pg.Client & {
  readonly connection: EventEmitter & { readonly stream: Socket };
  readonly readyForQuery: boolean;
  /** If this is set, knex closes the connection instead of using it again. */
  __knex__disposed?: unknown;
};

/** What a connection reports about its server. */
export type ServerFaults = {
  /** The server refused to write. */
  onReadOnly(): void;
  /** The server may be unable to finish a commit. */
  onStuck(): void;
  /** A statement waited too long for a lock. The lock may be held by another process whose commit cannot finish. */
  onLockTimeout(): void;
};

/**
 * Opens a connection on which every wait has a time limit. Postgres enforces the limits on statements. We enforce the
 * limit on silence, because a frozen server enforces nothing, and because none of Postgres' limits covers a commit that
 * is waiting for a synchronous standby.
 * @param silenceMs how long the server may take to reply; 0 for no limit
 */
export async function openClient(url: string, silenceMs: number, faults: ServerFaults): Promise<Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    types: { getTypeParser },
    // Lets pg send a statement before the previous ones are answered (see pipeline.ts).
    pipeline: true,
  } as pg.ClientConfig) as Client;
  client.on('error', (error) => {
    client.__knex__disposed = error;
  });
  client.on('end', () => {
    client.__knex__disposed ??= 'The connection ended';
  });
  await client.connect();
  reportFaults(client, silenceMs, faults);
  await client.query(SESSION_SETTINGS).catch((error) => {
    void client.end();
    throw error;
  });
  return client;
}

/**
 * Sequential scans are off, because a connection plans each statement only once, and a plan made while a table was
 * empty would keep scanning the whole table after it has grown. Every statement has an index to use instead.
 * `reportFaults` needs the warnings.
 */
const SESSION_SETTINGS = 'set enable_seqscan = off; set client_min_messages = warning';

function reportFaults(client: Client, silenceMs: number, { onReadOnly, onStuck, onLockTimeout }: ServerFaults): void {
  const breakOff = (why: string) => {
    onStuck();
    // Rejects the pending statements at once, even if the rest of their replies has already arrived.
    client.connection.emit('error', new Error(`Connection terminated: ${why}`));
    client.connection.stream.destroy();
  };
  client.connection.stream.setTimeout(silenceMs);
  // This listener is not passed to setTimeout, which would call it only once: a server that died after the first idle
  // period would go unnoticed. An idle connection stays open, because a query may be about to use it.
  client.connection.stream.on('timeout', () => {
    if (!client.readyForQuery) breakOff(`Postgres sent no reply for ${silenceMs} ms`);
  });
  // If someone cancels the wait for a standby, Postgres only sends a warning, and the commit looks like any other.
  client.on('notice', ({ routine }) => {
    if (routine === 'SyncRepWaitForLSN') breakOff('the commit was not confirmed by a synchronous standby');
  });
  client.connection.on('errorMessage', ({ code }: { code?: unknown }) => {
    if (code === READ_ONLY_SQL_TRANSACTION) onReadOnly();
    if (code === LOCK_NOT_AVAILABLE) onLockTimeout();
  });
}

/**
 * pg would return int8 as a string, but our counters are far below 2^53. It would return a date as midnight in the
 * process's time zone, but our dates are UTC days.
 */
function getTypeParser(oid: number, format: 'text' | 'binary') {
  if (oid === INT8) return Number;
  if (oid === DATE) return String;
  return pg.types.getTypeParser(oid, format as 'text');
}
