import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLog } from '@posthorn/platform/logs';
import { connectBlockingRedis, type RedisClient } from '@posthorn/platform/redis';
import { type Child, dieWithParent, ensureRedis, findFreePort, startChild, stopChild } from '@posthorn/servers';

/** All nodes have this password. Sentinels have none. */
export const NODE_PASSWORD = 'a password of test servers';

const CERTIFICATES = join(import.meta.dirname, '../certificates');

/** A client that trusts this certificate trusts nodes with TLS. Node reads NODE_EXTRA_CA_CERTS when it starts. */
export const NODE_CERTIFICATE = join(CERTIFICATES, 'loopback.pem');

const STOP_TIMEOUT_MS = 5_000;

/** A Redis server or a Sentinel that is part of a deployment. */
export type RedisNode = {
  readonly port: number;
  /** Where clients and other nodes connect: its port with TLS, if it has one. */
  readonly clientPort: number;
  readonly url: string;
  isRunning(): boolean;
  kill(): Promise<void>;
  /** Starts it again on the same port, with the data that it had on disk. */
  revive(): Promise<void>;
  /** Freezes it (SIGSTOP) or lets it continue (SIGCONT). Its connections stay open. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Runs a command on a connection of its own. It waits until the node answers. */
  call(...command: [string, ...Array<string | number>]): Promise<unknown>;
  connected<Result>(work: (redis: RedisClient) => Promise<Result>): Promise<Result>;
};

/**
 * @param settings lines of the configuration file, besides the ports and the folder
 * @param withTls whether nodes and clients connect with TLS. The methods of the node still use a plain connection
 */
export async function startRedisNode(
  folder: string,
  settings: (port: number) => Promise<readonly string[]> | readonly string[],
  { isSentinel = false, withTls = false } = {},
): Promise<RedisNode> {
  const program = await ensureRedis(() => {});
  const port = await findFreePort();
  const tlsPort = withTls ? await findFreePort() : null;
  const dataDir = join(folder, String(port));
  mkdirSync(dataDir, { mode: 0o700 });
  const configFile = join(dataDir, 'redis.conf');
  const tls = tlsPort === null ? [] : buildTlsSettings(tlsPort);
  const lines = ['bind 127.0.0.1', `port ${port}`, ...tls, `dir ${dataDir}`, ...(await settings(port)), ''];
  // A Sentinel writes what it finds out to this file.
  writeFileSync(configFile, lines.join('\n'), { mode: 0o600 });
  const command = dieWithParent(
    { name: 'Redis', program, args: [configFile, ...(isSentinel ? ['--sentinel'] : [])] },
    'TERM',
  );
  const start = (): Promise<Child> => startChild(command, join(dataDir, 'redis.log'));
  let child = await start();
  const url = isSentinel
    ? `redis://127.0.0.1:${port}`
    : `redis://:${encodeURIComponent(NODE_PASSWORD)}@127.0.0.1:${port}`;

  async function connected<Result>(work: (redis: RedisClient) => Promise<Result>): Promise<Result> {
    const redis = connectBlockingRedis(url, createLog('test', 'silent'));
    try {
      return await work(redis);
    } finally {
      redis.disconnect();
    }
  }

  return {
    port,
    clientPort: tlsPort ?? port,
    url,
    isRunning: () => child.process.exitCode === null && child.process.signalCode === null,
    kill: () => stopChild(child, 'SIGKILL', STOP_TIMEOUT_MS),
    async revive() {
      child = await start();
    },
    signal: (signal) => child.process.kill(signal),
    call: (name, ...args) => connected((redis) => redis.call(name, ...args)),
    connected,
  };
}

export function buildServerSettings(): string[] {
  return [
    `requirepass ${JSON.stringify(NODE_PASSWORD)}`,
    `masterauth ${JSON.stringify(NODE_PASSWORD)}`,
    'save ""',
    'appendonly no',
    'maxmemory-policy noeviction',
    'repl-diskless-sync-delay 0',
  ];
}

function buildTlsSettings(port: number): string[] {
  return [
    `tls-port ${port}`,
    `tls-cert-file ${NODE_CERTIFICATE}`,
    `tls-key-file ${join(CERTIFICATES, 'loopback.key')}`,
    `tls-ca-cert-file ${NODE_CERTIFICATE}`,
    'tls-auth-clients no',
    'tls-replication yes',
  ];
}
