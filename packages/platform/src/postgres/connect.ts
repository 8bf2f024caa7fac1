import knex, { type Knex } from 'knex';
import { type Client, connectClient, type ServerFaults } from './client.js';
import { PoolerError } from './errors.js';
import { type DatabaseServers, parseDatabaseUrl } from './parse-database-url.js';
import { findNotWritableReason, NotWritableError, toWritability, WRITABILITY } from './server-state.js';
import { checkPooler, type PoolMode, prepareSession } from './session.js';

/** Longer than the server's own time limits, so a connection that is silent for this long is dead. */
const SILENCE_MS = 6_000;

export type Db = Knex;

/** @property poolMode how the connection pooler works that the URL leads to, if it does */
export type DatabaseOptions = { readonly poolSize?: number; readonly silenceMs?: number; readonly poolMode?: PoolMode };

/**
 * A pool in which every wait has a time limit, so that a slow, frozen or missing Postgres causes a 503 instead of a
 * hang.
 * @param databaseUrl may name several hosts (see parse-database-url.ts)
 */
export function connectDatabase(
  databaseUrl: string,
  { poolSize = 10, silenceMs = SILENCE_MS, poolMode = 'session' }: DatabaseOptions = {},
): Db {
  const db = knex({
    client: 'pg',
    connection: {},
    pool: { min: 0, max: poolSize },
    acquireConnectionTimeout: 2_000,
    // By default knex prints pool errors, but every caller reports its own failures.
    log: { warn: ignore, error: ignore, deprecate: ignore, debug: ignore },
  });
  const { open, leaveReadOnlyServer } = openConnector(databaseUrl, { silenceMs, poolMode });
  // knex itself can connect to only one host.
  db.client.acquireRawConnection = open;
  db.client.leaveReadOnlyServer = leaveReadOnlyServer;
  return db;
}

/**
 * All connections are dropped at most once per interval of this length, so that a server that stays read-only is not
 * flooded with logins.
 */
const LEAVE_AGAIN_AFTER_MS = 1_000;
/**
 * After lock timeouts, the server is asked whether its standby is lost, but at most once per interval of this length.
 */
const ASK_AGAIN_AFTER_MS = 1_000;
/** After all servers have refused, none of them is tried again for this long. */
const REFUSED_FOR_MS = 500;

type Connector = {
  /**
   * Opens a connection for a pool.
   * @throws PoolerError if a host leads to a connection pooler that cannot be used; otherwise the server's error, or
   *   with several hosts, an AggregateError with one error per host
   */
  open(): Promise<Client>;
  /** Stops using all connections, because one of them has found its server read-only. */
  leaveReadOnlyServer(): void;
};

/** How long a connection pooler may take to reply while it is checked. */
const POOLER_SILENCE_MS = 2_000;

/** What a pool knows about its servers. */
type State = {
  readonly servers: DatabaseServers;
  readonly silenceMs: number;
  readonly faults: ServerFaults;
  readonly poolMode: PoolMode;
  /** The checks of the connection poolers, by URL. A URL that leads to Postgres itself is missing. */
  readonly checkedPoolers: Map<string, Promise<void>>;
  readonly clients: Set<Client>;
  /** Index of the host that worked last. */
  lastHost: number;
  /** When the connections to a read-only server were last dropped. */
  leftAt: number;
  /** When the server was last asked about its standby because of a lock timeout. */
  askedAt: number;
  /** Whether a commit may be waiting for a lost standby. */
  mayBeStuck: boolean;
  refused: { readonly error: unknown; readonly until: number };
};

/**
 * Finds the server that can be written to, even after a failover. It tries the hosts in order, starting with the one
 * that worked last.
 *
 * If a server turns out to be read-only, all connections are dropped, because they lead to the same server. The same
 * happens if a commit may be stuck, whether in this process or in another one whose locks this process is waiting for.
 * No connection is then opened while the server says that its standby is lost, because every new commit would occupy
 * one more connection until the standby is back.
 */
function openConnector(databaseUrl: string, { silenceMs, poolMode }: Pick<State, 'silenceMs' | 'poolMode'>): Connector {
  const state: State = {
    servers: parseDatabaseUrl(databaseUrl) ?? { urls: [databaseUrl], mustBeWritable: false },
    silenceMs,
    poolMode,
    faults: {
      onReadOnly: () => leaveReadOnlyServer(state),
      onStuck: () => leaveStuckServer(state),
      onLockTimeout: () => askAboutStandby(state),
      onLostStatement: () => forgetPoolers(state),
    },
    checkedPoolers: new Map(),
    clients: new Set(),
    lastHost: 0,
    leftAt: Number.NEGATIVE_INFINITY,
    askedAt: Number.NEGATIVE_INFINITY,
    mayBeStuck: false,
    refused: { error: null, until: 0 },
  };
  return { open: () => openConnection(state), leaveReadOnlyServer: () => leaveReadOnlyServer(state) };
}

async function openConnection(state: State): Promise<Client> {
  if (performance.now() < state.refused.until) throw state.refused.error;
  const { urls } = state.servers;
  const errors: unknown[] = [];
  for (const host of urls.map((_, index) => (state.lastHost + index) % urls.length)) {
    try {
      const client = await openSession(state, urls[host] as string);
      await addIfUsable(state, client);
      state.lastHost = host;
      return client;
    } catch (error) {
      errors.push(error);
      // The other hosts must not hide this.
      if (error instanceof PoolerError) break;
    }
  }
  const error = toOneError(errors);
  if (error instanceof PoolerError || findNotWritableReason(error))
    state.refused = { error, until: performance.now() + REFUSED_FOR_MS };
  throw error;
}

function toOneError(errors: readonly unknown[]): unknown {
  const last = errors.at(-1);
  const isEnough = errors.length === 1 || last instanceof PoolerError;
  return isEnough ? last : new AggregateError(errors, 'No host in DATABASE_URL can be used');
}

async function openSession(state: State, url: string): Promise<Client> {
  const client = await connectClient(url, state.silenceMs, state.faults);
  return orClose(client, async () => {
    await prepareSession(client, state.poolMode, () => checkPoolerOnce(state, url, client));
    return client;
  });
}

/** Closes the connection if `work` fails. */
async function orClose<Result>(client: Client, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    void client.end();
    throw error;
  }
}

/** Each pooler is checked once. @throws PoolerError */
function checkPoolerOnce({ checkedPoolers, poolMode }: State, url: string, session: Client): Promise<void> {
  const known = checkedPoolers.get(url);
  if (known !== undefined) return known;
  const checked = checkPooler(session, poolMode, () => connectClient(url, POOLER_SILENCE_MS, NO_FAULTS));
  checkedPoolers.set(url, checked);
  checked.catch(() => checkedPoolers.delete(url));
  return checked;
}

const NO_FAULTS: ServerFaults = { onReadOnly: ignore, onStuck: ignore, onLockTimeout: ignore, onLostStatement: ignore };

function ignore(): void {}

function leaveReadOnlyServer(state: State): void {
  if (performance.now() < state.leftAt + LEAVE_AGAIN_AFTER_MS) return;
  state.leftAt = performance.now();
  dropConnections(state);
}

function leaveStuckServer(state: State): void {
  state.mayBeStuck = true;
  dropConnections(state);
}

/** The pooler may work in another way than before. */
function forgetPoolers(state: State): void {
  state.checkedPoolers.clear();
  dropConnections(state);
}

function askAboutStandby(state: State): void {
  if (performance.now() < state.askedAt + ASK_AGAIN_AFTER_MS) return;
  state.askedAt = performance.now();
  // If the server cannot even be asked, other statements fail too and report the error.
  openSession(state, state.servers.urls[state.lastHost] as string).then(
    (client) => leaveIfStuck(state, client),
    ignore,
  );
}

async function leaveIfStuck(state: State, client: Client): Promise<void> {
  try {
    if ((await readWritability(client)) === 'standby_lost') leaveStuckServer(state);
  } catch {
    // Other statements fail too and report the error.
  } finally {
    void client.end();
  }
}

async function readWritability(client: Client): Promise<ReturnType<typeof toWritability>> {
  const { rows } = await client.query(WRITABILITY);
  return toWritability(rows[0]);
}

/** Marks every connection, so that the pool closes it instead of reusing it. */
function dropConnections({ clients }: State): void {
  for (const client of clients) client.__knex__disposed ??= 'The server cannot store anything';
  clients.clear();
}

async function addIfUsable(state: State, client: Client): Promise<void> {
  await orClose(client, () => assertUsable(state, client));
  state.clients.add(client);
  client.once('end', () => state.clients.delete(client));
}

async function assertUsable(state: State, client: Client): Promise<void> {
  const { mustBeWritable } = state.servers;
  if (!mustBeWritable && !state.mayBeStuck) return;
  const writability = await readWritability(client);
  if (writability === 'read_only' && mustBeWritable) throw new NotWritableError(writability);
  if (writability === 'standby_lost' && state.mayBeStuck) throw new NotWritableError(writability);
  state.mayBeStuck = false;
}
