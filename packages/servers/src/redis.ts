import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Child, startChild, stopChild, waitUntilReady } from './child-process.js';
import { ensureProgram, findProgram, type InstallableProgram } from './install-program.js';
import { probePort, startOnFreePort } from './ports.js';
import { readOrCreateSecret, type Server, type ServerOptions } from './server.js';
import { stopStaleProcess } from './stale-process.js';
import { dieWithParent } from './unprivileged.js';

/** Loading an append-only file of several gigabytes can take a while. */
const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 15_000;

export type RedisOptions = ServerOptions & {
  /** Keeps the data across restarts. Without this option, Redis starts empty. */
  readonly persistent?: boolean;
};

export type RedisServer = Server & {
  /** Stops the server as in a crash. */
  kill(): Promise<void>;
};

/**
 * Starts Redis or Valkey on 127.0.0.1 with a password and waits until it is ready. Installs it if
 * needed. Stops a server that an earlier run left running in this folder.
 * @throws Error with the last lines of the server's log if it does not start
 */
export async function startRedis(options: RedisOptions): Promise<RedisServer> {
  const { port: preferred, log = () => {}, persistent = false } = options;
  const dataDir = resolve(options.dataDir);
  const program = await ensureRedis(log);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const pidFile = join(dataDir, 'redis.pid');
  await stopStaleProcess({ name: 'Redis', pidFile, dataDir, signal: 'SIGTERM', log });

  const password = readOrCreateSecret(join(dataDir, 'password'));
  const configFile = join(dataDir, 'redis.conf');
  return startOnFreePort({ name: 'Redis', preferred, log }, async (port) => {
    writeFileSync(configFile, formatConfig({ dataDir, pidFile, port, password, persistent }), { mode: 0o600 });
    const command = dieWithParent({ name: 'Redis', program, args: [configFile] }, 'TERM');
    const child = await startChild(command, join(dataDir, 'redis.log'));
    await waitUntilReady(child, () => respondsToPing(port, password), READY_TIMEOUT_MS);
    return toRedisServer(child, password, port);
  });
}

function toRedisServer(child: Child, password: string, port: number): RedisServer {
  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    port,
    pid: child.pid,
    logFile: child.logFile,
    ended: child.ended,
    stop: () => stopChild(child, 'SIGTERM', STOP_TIMEOUT_MS),
    kill: () => stopChild(child, 'SIGKILL', STOP_TIMEOUT_MS),
  };
}

/** Redis gets a file instead of arguments, because every user of the machine can read a process's arguments. */
function formatConfig(options: {
  dataDir: string;
  pidFile: string;
  port: number;
  password: string;
  persistent: boolean;
}): string {
  const { dataDir, pidFile, port, password, persistent } = options;
  return [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    `dir ${JSON.stringify(dataDir)}`,
    `pidfile ${JSON.stringify(pidFile)}`,
    'databases 256',
    // A full Redis must reject writes: an evicted delivery job would delay its emails until the next sweep.
    'maxmemory-policy noeviction',
    'save ""',
    `appendonly ${persistent ? 'yes' : 'no'}`,
    'appendfsync everysec',
    '',
  ].join('\n');
}

/** Redis replies LOADING while it loads its data. */
async function respondsToPing(port: number, password: string): Promise<boolean> {
  const reply = await probePort(port, `AUTH ${password}\r\nPING\r\n`, (text) => /PONG|LOADING|ERR/.test(text));
  return reply.includes('+PONG');
}

const redisProgram: InstallableProgram = {
  name: 'Redis',
  // Valkey is a drop-in replacement.
  find: () => findProgram('redis-server') ?? findProgram('valkey-server'),
  packages: {
    'apt-get': ['redis-server'],
    dnf: ['redis', 'valkey'],
    apk: ['redis', 'valkey'],
    pacman: ['valkey'],
    brew: ['redis'],
  },
  problem: 'Posthorn needs Redis, but neither redis-server nor valkey-server is installed',
  manualInstall: 'redis-server (6.2 or newer) or valkey-server',
  alternative: 'set REDIS_URL to a running Redis server',
};

/**
 * Finds redis-server or valkey-server, or installs it.
 * @returns its path
 * @throws Error with install instructions if it cannot be installed automatically
 */
export function ensureRedis(log: (line: string) => void): Promise<string> {
  return ensureProgram(redisProgram, log);
}
