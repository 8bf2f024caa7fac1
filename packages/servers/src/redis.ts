import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ask } from './ask.js';
import { type Child, startChild, stopChild, waitUntilReady } from './child-process.js';
import { ensureRedis } from './install-redis.js';
import { keptSecret } from './kept-secret.js';
import { startOnFreePort } from './ports.js';
import type { Server, ServerOptions } from './server.js';
import { dieWithParent } from './setpriv.js';
import { stopLeftover } from './stale-process.js';

/** An append-only file of some gigabytes takes a while to load. */
const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 15_000;

export type RedisOptions = ServerOptions & {
  /** Keep the data over restarts; without it Redis starts empty. */
  readonly persistent?: boolean;
};

export type RedisServer = Server & {
  /** As a crash would. */
  kill(): Promise<void>;
};

/**
 * Starts Redis (or Valkey) on 127.0.0.1 with a password and waits until it answers; installs it
 * first where it is missing. A server that an earlier run left behind in this folder is stopped.
 * @throws Error with the server's last words when it does not come up
 */
export async function startRedis(options: RedisOptions): Promise<RedisServer> {
  const { port: preferred, log = () => {}, persistent = false } = options;
  const dataDir = resolve(options.dataDir);
  const program = await ensureRedis(log);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const pidFile = join(dataDir, 'redis.pid');
  await stopLeftover({ name: 'Redis', pidFile, dataDir, signal: 'SIGTERM', log });

  const password = keptSecret(join(dataDir, 'password'));
  const configFile = join(dataDir, 'redis.conf');
  return startOnFreePort({ name: 'Redis', preferred, log }, async (port) => {
    writeFileSync(configFile, configuration({ dataDir, pidFile, port, password, persistent }), { mode: 0o600 });
    const command = dieWithParent({ name: 'Redis', program, args: [configFile] }, 'TERM');
    const child = await startChild(command, join(dataDir, 'redis.log'));
    await waitUntilReady(child, () => answersPing(port, password), READY_TIMEOUT_MS);
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

/** In a file, not as arguments: every user of the machine can read those. */
function configuration(options: {
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
    // A full Redis must refuse: a queue entry that was evicted would be a mail that waits for the sweep
    'maxmemory-policy noeviction',
    'save ""',
    `appendonly ${persistent ? 'yes' : 'no'}`,
    'appendfsync everysec',
    '',
  ].join('\n');
}

/** While it loads its data Redis answers LOADING instead. */
async function answersPing(port: number, password: string): Promise<boolean> {
  const answer = await ask(port, `AUTH ${password}\r\nPING\r\n`, (text) => /PONG|LOADING|ERR/.test(text));
  return answer.includes('+PONG');
}
