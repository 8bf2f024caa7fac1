import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectDatabase, migrateDatabase } from '@posthorn/domain';
import { startPostgres, startRedis } from '@posthorn/servers';
import { fillRedisDatabases } from './redis-database.js';
import { TEMPLATE_DATABASE, toEnv } from './server-addresses.js';
import { inDatabase } from './test-database.js';

/** What this process tells its parent once: where the servers are, or why there are none. */
export type ServersMessage = { readonly env: Record<string, string> } | { readonly failure: string };

/** A crash of the machine may lose a test run: nothing is written for sure, all of it fast. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: 300,
  shared_buffers: '64MB',
  autovacuum_naptime: '1h',
};

const folder = mkdtempSync(join(tmpdir(), 'posthorn-test-'));

/** Messages of `startRedis` are worth showing: it may install Redis. */
function log(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function start(): Promise<() => Promise<void>> {
  const [postgres, redis] = await Promise.all([
    startPostgres({ dataDir: join(folder, 'postgres'), settings: SETTINGS, log }),
    startRedis({ dataDir: join(folder, 'redis'), log }),
  ]);
  await makeTemplate(postgres.url);
  await fillRedisDatabases(redis.url);
  send({ env: toEnv({ postgresUrl: postgres.url, redisUrl: redis.url }) });
  return async () => {
    await Promise.all([postgres.stopImmediately(), redis.kill()]);
  };
}

/** Migrated once; a test's database is a copy of it, which takes some ten milliseconds. */
async function makeTemplate(postgresUrl: string): Promise<void> {
  const admin = connectDatabase(postgresUrl, { poolSize: 1 });
  await admin.raw('create database ??', [TEMPLATE_DATABASE]);
  await admin.destroy();
  await migrateDatabase(inDatabase(postgresUrl, TEMPLATE_DATABASE));
}

function send(message: ServersMessage): void {
  process.send?.(message);
}

const started = start();

/** The parent is done, or dead. A Ctrl-C reaches us too, but the parent says when it has finished. */
process.once('disconnect', async () => {
  const stop = await started.catch(() => null);
  await stop?.();
  rmSync(folder, { recursive: true, force: true });
  process.exit();
});
process.on('SIGINT', () => {});

started.catch((error: unknown) => {
  send({ failure: error instanceof Error ? error.message : String(error) });
});
