import { randomUUID } from 'node:crypto';
import type { Client } from './open-client.js';
import { PoolerError } from './pooler-error.js';
import { findMissingSettings, SESSION_SETTINGS } from './session-settings.js';

/** For how long a client of the pooler keeps a connection to Postgres: for its session, or for one transaction. */
export type PoolMode = 'session' | 'transaction';

/**
 * In transaction mode, idle clients of the same pooler soon get the same connection to Postgres. With this many clients,
 * some have the same pooler even if the address leads to several.
 */
const CLIENTS = 8;

const PROTOCOL_VIOLATION = '08P01';
const DUPLICATE_STATEMENT = '42P05';
const UNKNOWN_STATEMENT = '26000';

/**
 * Finds out how a pooler works, by trying, because a pooler tells its mode only to its own administrator. It leaves
 * nothing behind that other clients of the pooler could notice.
 * @param open opens one more client of the pooler
 * @throws PoolerError if Posthorn would not work, or not keep its time limits
 */
export async function findPoolMode(open: () => Promise<Client>): Promise<PoolMode> {
  const clients: Client[] = [];
  try {
    while (clients.length < CLIENTS) clients.push(await open());
    if (!(await doShareBackends(clients))) return 'session';
    const [client] = clients as [Client];
    await assertTransactions(client);
    await assertPreparedStatements(clients);
    await assertSettings(client);
    return 'transaction';
  } finally {
    for (const client of clients) void client.end();
  }
}

/** In session mode, every client keeps a backend for itself. */
async function doShareBackends(clients: readonly Client[]): Promise<boolean> {
  const first = await backendsOf(clients);
  const second = await backendsOf(clients);
  return new Set(first).size < clients.length || first.some((pid, index) => pid !== second[index]);
}

/** Asks one client after the other, so that each can get a backend that an earlier one has left. */
async function backendsOf(clients: readonly Client[]): Promise<number[]> {
  const pids: number[] = [];
  for (const client of clients) {
    const { rows } = await client.query('select pg_backend_pid() as pid');
    pids.push(rows[0].pid);
  }
  return pids;
}

async function assertTransactions(client: Client): Promise<void> {
  try {
    await client.query('begin');
    await client.query('rollback');
  } catch (error) {
    if (codeOf(error) !== PROTOCOL_VIOLATION) throw error;
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
    if ([DUPLICATE_STATEMENT, UNKNOWN_STATEMENT].includes(codeOf(error))) return false;
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

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code);
}
