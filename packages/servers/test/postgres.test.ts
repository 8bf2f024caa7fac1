import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { connectDatabase } from '@posthorn/platform/postgres';
import { type Postgres, startPostgres } from '@posthorn/servers';
import { createTemporaryFolder } from './create-temporary-folder.js';

const settings = { fsync: 'off' };
const folder = createTemporaryFolder();
const dataDir = join(folder.path, 'a folder with spaces');

let running: Postgres | null = null;

async function start(options: Partial<Parameters<typeof startPostgres>[0]> = {}): Promise<Postgres> {
  running = await startPostgres({ dataDir, settings, ...options });
  return running;
}

afterEach(async () => {
  await running?.stopImmediately();
  running = null;
});

afterAll(() => folder.remove());

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const db = connectDatabase(url, { poolSize: 1 });
  try {
    return (await db.raw(sql)).rows;
  } finally {
    await db.destroy();
  }
}

test('Postgres runs with the given settings, in UTF-8, and listens on 127.0.0.1 only', async () => {
  const { url } = await start({ settings: { ...settings, max_connections: 42 } });
  const [row] = await query(
    url,
    `
    select current_setting('max_connections') as connections, current_setting('server_encoding') as encoding,
      current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets,
      lower('ÄÖ') as lower`,
  );
  expect(row).toEqual({ connections: '42', encoding: 'UTF8', addresses: '127.0.0.1', sockets: '', lower: 'äö' });
});

test('Postgres is durable with the default settings', async () => {
  const { url } = await start({ settings: {} });
  const [row] = await query(
    url,
    "select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit",
  );
  expect(row).toEqual({ fsync: 'on', commit: 'on' });
});

test('Postgres requires a password that other users cannot read', async () => {
  const { url } = await start();
  const wrong = new URL(url);
  wrong.password = 'guess';
  await expect(query(wrong.href, 'select 1')).rejects.toThrow('password authentication failed');
  expect(statSync(join(dataDir, 'password')).mode & 0o777).toBe(0o600);
});

test('Postgres keeps its data, password and port after a stop and after a crash', async () => {
  const first = await start();
  await query(first.url, 'create table kept (id integer)');
  await first.stop();
  await first.ended;

  const second = await start({ port: first.port });
  expect(second.url).toBe(first.url);
  await query(second.url, 'insert into kept values (1)');
  await second.stopImmediately();

  const third = await start({ port: first.port });
  expect(await query(third.url, 'select id from kept')).toEqual([{ id: 1 }]);
});

test('a server left running in the same folder by an earlier run is stopped', async () => {
  const lines: string[] = [];
  const leftover = await start();
  const successor = await start({ log: (line) => lines.push(line) });
  await leftover.ended;
  expect(lines).toEqual([expect.stringContaining(`process ${leftover.pid}`)]);
  expect(await query(successor.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('if the port is in use, this is logged and the next free port is used', async () => {
  const lines: string[] = [];
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const server = await start({ port, log: (line) => lines.push(line) });
  expect(server.port).toBeGreaterThan(port);
  expect(lines).toEqual([`Port ${port} is in use, so Postgres uses ${server.port}.`]);
  await new Promise((resolve) => other.close(resolve));
});

test('a server that fails to start is reported with the end of its log', async () => {
  await expect(start({ settings: { no_such_setting: 1 } })).rejects.toThrow(/exited during startup.*no_such_setting/s);
});
