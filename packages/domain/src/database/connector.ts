import { type Client, openClient, type ServerFaults } from './open-client.js';
import { type DatabaseServers, parseDatabaseUrl } from './parse-database-url.js';
import { NotWritableError, toWritability, WRITABILITY, whyNotWritable } from './writability.js';

/**
 * All connections are given up at most once per interval of this length, so that a server that stays read-only is not
 * flooded with logins.
 */
const GIVE_UP_AGAIN_AFTER_MS = 1_000;
/**
 * After lock timeouts, the server is asked whether its standby is lost, but at most once per interval of this length.
 */
const ASK_AGAIN_AFTER_MS = 1_000;
/** After all servers have refused, none of them is tried again for this long. */
const REFUSED_FOR_MS = 500;

/**
 * Opens a connection for a pool.
 * @throws the server's error; with several hosts, an AggregateError with one error per host
 */
export type Connect = () => Promise<Client>;

/** What a pool knows about its servers. */
type State = {
  readonly servers: DatabaseServers;
  readonly clients: Set<Client>;
  /** Index of the host that worked last. */
  lastHost: number;
  gaveUpAt: number;
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
 * If a server turns out to be read-only, all connections are given up, because they lead to the same server. The same
 * happens if a commit may be stuck, whether in this process or in another one whose locks this process is waiting for.
 * No connection is then opened while the server says that its standby is lost, because every new commit would occupy
 * one more connection until the standby is back.
 */
export function openConnector(databaseUrl: string, silenceMs: number): Connect {
  const state: State = {
    servers: parseDatabaseUrl(databaseUrl) ?? { urls: [databaseUrl], mustBeWritable: false },
    clients: new Set(),
    lastHost: 0,
    gaveUpAt: Number.NEGATIVE_INFINITY,
    askedAt: Number.NEGATIVE_INFINITY,
    mayBeStuck: false,
    refused: { error: null, until: 0 },
  };
  const faults = faultsFor(state, silenceMs);
  return async () => {
    if (performance.now() < state.refused.until) throw state.refused.error;
    const { urls } = state.servers;
    const errors: unknown[] = [];
    for (const host of urls.map((_, index) => (state.lastHost + index) % urls.length)) {
      try {
        const client = await openClient(urls[host] as string, silenceMs, faults);
        await addIfUsable(state, client);
        state.lastHost = host;
        return client;
      } catch (error) {
        errors.push(error);
      }
    }
    const error = errors.length === 1 ? errors[0] : new AggregateError(errors, 'No host in DATABASE_URL can be used');
    if (whyNotWritable(error)) state.refused = { error, until: performance.now() + REFUSED_FOR_MS };
    throw error;
  };
}

function faultsFor(state: State, silenceMs: number): ServerFaults {
  const faults: ServerFaults = {
    onReadOnly() {
      if (performance.now() < state.gaveUpAt + GIVE_UP_AGAIN_AFTER_MS) return;
      state.gaveUpAt = performance.now();
      giveUpAll(state);
    },
    onStuck() {
      state.mayBeStuck = true;
      giveUpAll(state);
    },
    onLockTimeout() {
      if (performance.now() < state.askedAt + ASK_AGAIN_AFTER_MS) return;
      state.askedAt = performance.now();
      const url = state.servers.urls[state.lastHost] as string;
      // If the server cannot even be asked, other statements fail too and report the error.
      openClient(url, silenceMs, faults).then((client) => giveUpIfStuck(client, faults), ignore);
    },
  };
  return faults;
}

async function giveUpIfStuck(client: Client, { onStuck }: ServerFaults): Promise<void> {
  try {
    if ((await readWritability(client)) === 'standby_lost') onStuck();
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

function ignore(): void {}

/** Marks every connection, so that the pool closes it instead of reusing it. */
function giveUpAll({ clients }: State): void {
  for (const client of clients) client.__knex__disposed ??= 'The server cannot store anything';
  clients.clear();
}

async function addIfUsable(state: State, client: Client): Promise<void> {
  try {
    await assertUsable(state, client);
  } catch (error) {
    void client.end();
    throw error;
  }
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
