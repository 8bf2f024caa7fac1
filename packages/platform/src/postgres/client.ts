import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import pg from 'pg';
import { findSqlState, PoolerError, sqlStates } from './errors.js';

const INT8 = 20;
const DATE = 1082;
const CONNECT_TIMEOUT_MS = 2_000;

/** A pg client with members that are missing from its types. */
export type Client = pg.Client & {
  readonly connection: EventEmitter & { readonly stream: Socket };
  readonly readyForQuery: boolean;
  /** Of the backend, as the server said when the connection was opened. */
  readonly processID: number | null;
  /** Whether a connection pooler may give it another backend for each transaction. */
  sharesBackends?: boolean;
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
  /** The session does not have its prepared statements any more. Only a connection pooler can cause that. */
  onLostStatement(): void;
};

/**
 * Opens a connection with a limit on silence. Postgres enforces the limits on statements (see session.ts), but a
 * frozen server enforces nothing, and none of Postgres' limits covers a commit that is waiting for a synchronous standby.
 *
 * No settings are sent with the login, because connection poolers refuse them.
 * @param silenceMs how long the server may take to reply; 0 for no limit
 * @throws PoolerError if a pooler refuses a parameter in the URL
 */
export async function connectClient(url: string, silenceMs: number, faults: ServerFaults): Promise<Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: { getTypeParser },
    // Lets pg send a statement before the previous ones are answered (see transactions.ts).
    pipeline: true,
  } as pg.ClientConfig) as Client;
  client.on('error', (error) => {
    client.__knex__disposed = error;
  });
  client.on('end', () => {
    client.__knex__disposed ??= 'The connection ended';
  });
  await client.connect().catch((error) => {
    throw isRefusedParameter(error) ? new PoolerError(`that refuses part of it: ${error.message}. Remove it.`) : error;
  });
  reportFaults(client, silenceMs, faults);
  return client;
}

function isRefusedParameter(error: Error): boolean {
  return (
    findSqlState(error) === sqlStates.protocolViolation && error.message.startsWith('unsupported startup parameter')
  );
}

function reportFaults(client: Client, silenceMs: number, faults: ServerFaults): void {
  const { onReadOnly, onStuck, onLockTimeout, onLostStatement } = faults;
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
  client.connection.on('errorMessage', (error: unknown) => {
    const state = findSqlState(error);
    if (state === sqlStates.readOnlyTransaction) onReadOnly();
    if (state === sqlStates.lockNotAvailable) onLockTimeout();
    if (state === sqlStates.duplicateStatement || state === sqlStates.unknownStatement) onLostStatement();
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
