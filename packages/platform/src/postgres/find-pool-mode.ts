import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './open-client.js';
import { PoolerError } from './pooler-error.js';
import { findMissingSettings, SESSION_SETTINGS } from './session-settings.js';
import { sqlStateOf, sqlStates } from './sql-states.js';

/** For how long a client of the pooler keeps a connection to Postgres: for its session, or for one transaction. */
export type PoolMode = 'session' | 'transaction';

/**
 * In transaction mode, idle clients of the same pooler soon get the same connection to Postgres. With this many clients,
 * some have the same pooler even if the address leads to several.
 */
const CLIENTS = 8;
/** How long the first client without a reply may take. In session mode, it may wait for another client to leave. */
const SILENCE_MS = 500;
/** The same for later clients, so that it does not add up. */
const NEXT_SILENCE_MS = 50;

/**
 * Finds out how a pooler works, by trying, because a pooler tells its mode only to its own administrator. It leaves
 * nothing behind that other clients of the pooler could notice.
 * @param session a client of the pooler that has a backend
 * @param open opens one more client of the pooler
 * @throws PoolerError if Posthorn would not work, or not keep its time limits
 */
export async function findPoolMode(session: Client, open: () => Promise<Client>): Promise<PoolMode> {
  const backends = openBackends();
  const opened: Client[] = [];
  try {
    await backends.ask(session);
    let silenceMs = SILENCE_MS;
    while (opened.length < CLIENTS - 1) {
      const client = await open();
      opened.push(client);
      if (!backends.areShared() && !(await backends.ask(client, silenceMs))) silenceMs = NEXT_SILENCE_MS;
    }
    if (!backends.areShared()) await backends.askAgain();
    if (!backends.areShared()) return 'session';
    await assertTransactions(opened[0] as Client);
    await assertPreparedStatements(opened);
    await assertSettings(opened[0] as Client);
    return 'transaction';
  } finally {
    for (const client of opened) void client.end();
  }
}

/**
 * Compares the backends that answer clients. In session mode, every client keeps a backend for itself. If there is none
 * left, it gets no reply, while those before it still do. In transaction mode, it would get its reply before them.
 *
 * Clients are asked one after the other, so that each can get a backend that an earlier one has left.
 */
function openBackends() {
  const clients = new Map<number, Client>();
  const pids = new Map<Client, number>();
  let areShared = false;

  async function read(client: Client): Promise<true> {
    const { rows } = await client.query('select pg_backend_pid() as pid');
    const { pid } = rows[0];
    areShared ||= (clients.get(pid) ?? client) !== client || (pids.get(client) ?? pid) !== pid;
    clients.set(pid, client);
    pids.set(client, pid);
    return true;
  }

  return {
    /** Whether a backend has answered two clients, or a client was answered by two backends. */
    areShared: () => areShared,
    /** @returns whether the client got a reply in time. A later reply counts too */
    async ask(client: Client, silenceMs = 0): Promise<boolean> {
      const reply = read(client);
      if (silenceMs === 0) return reply;
      // Closing the client rejects it.
      reply.catch(() => {});
      return Promise.race([reply, sleep(silenceMs, false)]);
    },
    /** Asks those that have got a reply. */
    async askAgain(): Promise<void> {
      for (const client of [...pids.keys()]) await read(client);
    },
  };
}

async function assertTransactions(client: Client): Promise<void> {
  try {
    await client.query('begin');
    await client.query('rollback');
  } catch (error) {
    if (sqlStateOf(error) !== sqlStates.protocolViolation) throw error;
    throw new PoolerError('in statement mode, which allows no transactions. Set pool_mode=session in PgBouncer.');
  }
}

/**
 * Every client prepares a statement of its own under the same name. If the pooler does not keep them apart, some clients
 * find the statement of another client, or find none.
 */
async function assertPreparedStatements(clients: readonly Client[]): Promise<void> {
  const name = `posthorn_${randomUUID()}`;
  // Each client uses its statement twice. The second time, it may get another backend.
  for (const [index, client] of [...clients.entries(), ...clients.entries()])
    if (!(await isPrepared(client, name, index)))
      throw new PoolerError(
        'in transaction mode without prepared statements. Set pool_mode=session in PgBouncer, or use PgBouncer 1.21 or later with max_prepared_statements=200.',
      );
}

async function isPrepared(client: Client, name: string, value: number): Promise<boolean> {
  try {
    const { rows } = await client.query({ name, text: `select ${value} as value`, values: [] });
    return rows[0].value === value;
  } catch (error) {
    const state = sqlStateOf(error);
    if (state === sqlStates.duplicateStatement || state === sqlStates.unknownStatement) return false;
    throw error;
  }
}

/**
 * A setting that a client changes in transaction mode stays on the connection, which another client gets next. So the
 * settings must be the defaults of new sessions.
 */
async function assertSettings(client: Client): Promise<void> {
  const { rows } = await client.query(
    `select name, reset_val as value, quote_ident(current_user) as role, quote_ident(current_database()) as database
     from pg_settings where name = any($1)`,
    [Object.keys(SESSION_SETTINGS)],
  );
  const missing = findMissingSettings(new Map(rows.map(({ name, value }) => [name, value])));
  if (missing.length === 0) return;
  const [{ role, database }] = rows;
  const statements = missing.map(
    (name) => `alter role ${role} in database ${database} set ${name} = ${SESSION_SETTINGS[name]};`,
  );
  throw new PoolerError(
    `in transaction mode, where Posthorn cannot set the limits of its sessions itself. In psql, type: ${statements.join(' ')} Then type RECONNECT; in PgBouncer's admin console, because open connections keep their settings.`,
  );
}
