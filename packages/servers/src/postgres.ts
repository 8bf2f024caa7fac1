import { join, resolve } from 'node:path';
import { ask } from './ask.js';
import { type Child, startChild, stopChild, waitUntilReady } from './child-process.js';
import { startOnFreePort } from './ports.js';
import { type PostgresBinaries, postgresBinaries } from './postgres-binaries.js';
import { type Cluster, DATABASE, DATABASE_USER, openCluster } from './postgres-cluster.js';
import type { Server, ServerOptions } from './server.js';
import { dieWithParent } from './setpriv.js';
import { stopLeftover } from './stale-process.js';
import { asUnprivileged, unprivilegedIdentity } from './unprivileged.js';

/** Recovery after a crash may have much to replay. */
const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;

export type PostgresOptions = ServerOptions & {
  /** Server settings such as `{ fsync: 'off' }`; without any the server is durable. */
  readonly settings?: Readonly<Record<string, string | number>>;
};

export type Postgres = Server & {
  /** As a crash would: nothing is written, the next start recovers from the log. */
  stopImmediately(): Promise<void>;
};

/**
 * Starts PostgreSQL on 127.0.0.1, with password and without a Unix socket, and waits until it takes
 * connections. A server that an earlier run left behind in this folder is stopped first.
 * @throws Error with the server's last words when it does not come up
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { port: preferred, log = () => {}, settings = {} } = options;
  const dataDir = resolve(options.dataDir);
  const binaries = await postgresBinaries();
  const identity = unprivilegedIdentity();
  const cluster = await openCluster({ dataDir, binaries, identity, durable: settings.fsync !== 'off' });
  const pidFile = join(cluster.folder, 'postmaster.pid');
  await stopLeftover({ name: 'Postgres', pidFile, dataDir: cluster.folder, signal: 'SIGINT', log });

  const logFile = join(dataDir, 'postgres.log');
  return startOnFreePort({ name: 'Postgres', preferred, log }, async (port) => {
    const child = await startServer(binaries, cluster, { port, settings, logFile });
    await waitUntilReady(child, () => takesConnections(port), READY_TIMEOUT_MS);
    return toPostgres(child, cluster, port);
  });
}

type Listening = { port: number; settings: Readonly<Record<string, string | number>>; logFile: string };

function startServer(
  binaries: PostgresBinaries,
  cluster: Cluster,
  { port, settings, logFile }: Listening,
): Promise<Child> {
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const args = ['-D', cluster.folder, '-h', '127.0.0.1', '-p', String(port), '-k', '', ...given];
  const command = dieWithParent({ name: 'Postgres', program: binaries.postgres, args }, 'INT');
  return startChild(asUnprivileged(command, cluster.identity), logFile);
}

function toPostgres(child: Child, { password }: Cluster, port: number): Postgres {
  return {
    url: `postgres://${DATABASE_USER}:${password}@127.0.0.1:${port}/${DATABASE}`,
    port,
    pid: child.pid,
    logFile: child.logFile,
    ended: child.ended,
    stop: () => stopChild(child, 'SIGINT', STOP_TIMEOUT_MS),
    stopImmediately: () => stopChild(child, 'SIGQUIT', STOP_TIMEOUT_MS),
  };
}

/**
 * As pg_isready does it (protocol 3.0, "Start-up"): a server that is still starting refuses the
 * startup message with an error, one that is ready asks for the password ('R').
 */
async function takesConnections(port: number): Promise<boolean> {
  const parameters = Buffer.from(`user\0${DATABASE_USER}\0database\0${DATABASE}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(head.length + parameters.length, 0);
  head.writeInt32BE(196_608, 4);
  const answer = await ask(port, Buffer.concat([head, parameters]), (text) => text.length > 0);
  return answer.startsWith('R');
}
