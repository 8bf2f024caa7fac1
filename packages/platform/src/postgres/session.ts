import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client.js';
import { findSqlState, PoolerError, sqlStates } from './errors.js';

/** The longest time, in milliseconds, that Postgres may spend on a statement or wait for a lock or for us. */
const MAX_MS = { statement_timeout: 5_000, lock_timeout: 2_000, idle_in_transaction_session_timeout: 10_000 };

/**
 * What every session needs, by name. Each wait has a limit.
 *
 * Sequential scans are off, because a connection plans each statement only once, and a plan made while a table was
 * empty would keep scanning the whole table after it has grown. Every statement has an index to use instead. For the
 * few that read a whole table anyway, the planner then expects so high a cost that it compiles them, which takes seconds
 * (jit). Warnings tell us when Postgres gave up waiting for a standby (see client.ts).
 */
export const SESSION_SETTINGS: Readonly<Record<string, string | number>> = {
  ...MAX_MS,
  enable_seqscan: 'off',
  jit: 'off',
  client_min_messages: 'warning',
};

/**
 * @param defaults the values that new sessions have, as `reset_val` in pg_settings
 * @returns the names of the settings that are missing or too weak
 */
export function findMissingSettings(defaults: ReadonlyMap<string, string>): string[] {
  return Object.keys(SESSION_SETTINGS).filter((name) => !isStrictEnough(name, defaults.get(name) ?? ''));
}

function isStrictEnough(name: string, value: string): boolean {
  if (name in MAX_MS) return Number(value) > 0 && Number(value) <= MAX_MS[name as keyof typeof MAX_MS];
  // Every other level includes warnings.
  if (name === 'client_min_messages') return value !== '' && value !== 'error';
  return value === SESSION_SETTINGS[name];
}

/** For how long a client of a connection pooler keeps its connection to Postgres: for its session, or for a transaction. */
export type PoolMode = 'session' | 'transaction';

const SET = Object.entries(SESSION_SETTINGS)
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(', ');

/**
 * Applies `SESSION_SETTINGS` to a new session.
 *
 * Without a pooler, this takes one round trip. Postgres has then told the client the process id of its backend. A pooler
 * makes up that number, because the client may get a different backend later.
 * @param mode how the pooler works, if there is one
 * @param check checks that the pooler works like that; only called if there is one
 * @throws PoolerError
 */
export async function prepareSession(client: Client, mode: PoolMode, check: () => Promise<void>): Promise<void> {
  const { rowCount } = await client.query(`select ${SET} where pg_backend_pid() = ${client.processID}`);
  const isDirect = rowCount === 1;
  if (isDirect) return;
  await check();
  client.sharesBackends = mode === 'transaction';
  if (!client.sharesBackends) await client.query(`select ${SET}`);
}

/** How long a second client may wait for its reply. In session mode, there may be no connection left for it. */
const SILENCE_MS = 500;

/**
 * Checks that a pooler works in the mode that DATABASE_POOL_MODE says, and can be used like that. It leaves nothing
 * behind that other clients of the pooler could notice.
 * @param session a client of the pooler that has a backend
 * @param open opens one more client of the pooler
 * @throws PoolerError if Posthorn would not work, or not keep its time limits
 */
export async function checkPooler(session: Client, mode: PoolMode, open: () => Promise<Client>): Promise<void> {
  await assertTransactions(session);
  const other = await open();
  try {
    const backends = [await readBackend(session), await readBackendInTime(other), await readBackend(session)];
    const areShared = backends[0] !== backends[2] || backends[0] === backends[1];
    if (mode === 'session' && !areShared) return;
    await assertPreparedStatements(backends[1] === null ? [session] : [session, other]);
    if (mode === 'session')
      throw new PoolerError(
        'in transaction mode, but DATABASE_POOL_MODE is session. Set DATABASE_POOL_MODE=transaction, or set pool_mode=session in PgBouncer.',
      );
    await assertSettings(session);
  } finally {
    void other.end();
  }
}

async function readBackend(client: Client): Promise<number> {
  const { rows } = await client.query('select pg_backend_pid() as pid');
  return rows[0].pid;
}

/** @returns null if there is no reply in time */
async function readBackendInTime(client: Client): Promise<number | null> {
  const reply = readBackend(client);
  // Closing the client rejects it.
  reply.catch(() => {});
  return Promise.race([reply, sleep(SILENCE_MS, null)]);
}

async function assertTransactions(client: Client): Promise<void> {
  try {
    await client.query('begin');
    await client.query('rollback');
  } catch (error) {
    if (findSqlState(error) !== sqlStates.protocolViolation) throw error;
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
    const state = findSqlState(error);
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
