import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createLog } from '@posthorn/platform/logs';
import { connectBlockingRedis } from '@posthorn/platform/redis';
import { type RedisServer, startRedis } from '@posthorn/servers';
import { createTemporaryFolder } from './create-temporary-folder.js';

const folder = createTemporaryFolder();
const dataDir = join(folder.path, 'a folder with spaces');

let running: RedisServer | null = null;

async function start(options: Partial<Parameters<typeof startRedis>[0]> = {}): Promise<RedisServer> {
  running = await startRedis({ dataDir, ...options });
  return running;
}

afterEach(async () => {
  await running?.kill();
  running = null;
});

afterAll(() => folder.remove());

async function command(url: string, ...words: [string, ...string[]]): Promise<unknown> {
  const redis = connectBlockingRedis(url, createLog('test', 'silent'));
  try {
    return await redis.call(...words);
  } finally {
    redis.disconnect();
  }
}

test('Redis rejects writes instead of evicting keys, and has 256 databases', async () => {
  const { url } = await start();
  expect(await command(url, 'CONFIG', 'GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
  expect(await command(`${url}/255`, 'SET', 'key', 'value')).toBe('OK');
});

test('Redis requires a password that other users can see neither in a file nor in the process list', async () => {
  const { url, pid } = await start();
  const { password } = new URL(url);
  await expect(command(url.replace(password, 'guess'), 'PING')).rejects.toThrow(/WRONGPASS|NOAUTH/);
  expect(statSync(join(dataDir, 'redis.conf')).mode & 0o777).toBe(0o600);
  if (process.platform === 'linux') expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(password);
});

test('Redis keeps its data after a stop if it is persistent', async () => {
  const first = await start({ persistent: true });
  await command(first.url, 'SET', 'key', 'value');
  await first.stop();
  await first.ended;
  const second = await start({ persistent: true, port: first.port });
  expect(second.url).toBe(first.url);
  expect(await command(second.url, 'GET', 'key')).toBe('value');
});

test('a server left running in the same folder by an earlier run is stopped', async () => {
  const lines: string[] = [];
  const leftover = await start();
  const successor = await start({ log: (line) => lines.push(line) });
  await leftover.ended;
  expect(lines).toEqual([expect.stringContaining(`process ${leftover.pid}`)]);
  expect(await command(successor.url, 'PING')).toBe('PONG');
});

test('if the port is in use, this is logged and the next free port is used', async () => {
  const lines: string[] = [];
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const server = await start({ port, log: (line) => lines.push(line) });
  expect(server.port).toBeGreaterThan(port);
  expect(lines).toEqual([`Port ${port} is in use, so Redis uses ${server.port}.`]);
  await new Promise((resolve) => other.close(resolve));
});
