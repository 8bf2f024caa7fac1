import { join, resolve } from 'node:path';
import { type Child, startChild, stopChild, waitUntilReady } from './child-process.js';
import { probePort, startOnFreePort } from './ports.js';
import { type PostgresBinaries, preparePostgresBinaries } from './postgres-binaries.js';
import { type Cluster, DATABASE, DATABASE_USER, prepareCluster } from './postgres-cluster.js';
import type { Server, ServerOptions } from './server.js';
import { stopStaleProcess } from './stale-process.js';
import { dieWithParent, findUnprivilegedIdentity, toUnprivileged } from './unprivileged.js';

/** Crash recovery can take a while. */
const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;

export type PostgresOptions = ServerOptions & {
  /** Server settings such as `{ fsync: 'off' }`. With the default settings, the server is durable. */
  readonly settings?: Readonly<Record<string, string | number>>;
};

export type Postgres = Server & {
  /** Stops the server as in a crash: without a checkpoint, so the next start recovers from the write-ahead log. */
  stopImmediately(): Promise<void>;
};

/**
 * Starts PostgreSQL on 127.0.0.1, with a password and without a Unix socket, and waits until it accepts
 * connections. Stops a server that an earlier run left running in this folder.
 * @throws Error with the last lines of the server's log if it does not start
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { port: preferred, log = () => {}, settings = {} } = options;
  const dataDir = resolve(options.dataDir);
  const binaries = await preparePostgresBinaries();
  const identity = findUnprivilegedIdentity();
  const cluster = await prepareCluster({ dataDir, binaries, identity, durable: settings.fsync !== 'off' });
  const pidFile = join(cluster.folder, 'postmaster.pid');
  await stopStaleProcess({ name: 'Postgres', pidFile, dataDir: cluster.folder, signal: 'SIGINT', log });

  const logFile = join(dataDir, 'postgres.log');
  return startOnFreePort({ name: 'Postgres', preferred, log }, async (port) => {
    const child = await startServer(binaries, cluster, { port, settings, logFile });
    await waitUntilReady(child, () => acceptsConnections(port), READY_TIMEOUT_MS);
    return toPostgres(child, cluster, port);
  });
}

type ListenOptions = { port: number; settings: Readonly<Record<string, string | number>>; logFile: string };

function startServer(
  binaries: PostgresBinaries,
  cluster: Cluster,
  { port, settings, logFile }: ListenOptions,
): Promise<Child> {
  const settingArgs = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const args = ['-D', cluster.folder, '-h', '127.0.0.1', '-p', String(port), '-k', '', ...settingArgs];
  const command = dieWithParent({ name: 'Postgres', program: binaries.postgres, args }, 'INT');
  return startChild(toUnprivileged(command, cluster.identity), logFile);
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
 * Works like pg_isready (protocol 3.0, "Start-up"): a server that is still starting responds to the
 * startup message with an error, and one that is ready asks for the password ('R').
 */
async function acceptsConnections(port: number): Promise<boolean> {
  const parameters = Buffer.from(`user\0${DATABASE_USER}\0database\0${DATABASE}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(head.length + parameters.length, 0);
  head.writeInt32BE(196_608, 4);
  const reply = await probePort(port, Buffer.concat([head, parameters]), (text) => text.length > 0);
  return reply.startsWith('R');
}
