import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { preparePlatformKey } from '@posthorn/domain/domains';
import { maintainPartitions } from '@posthorn/domain/retention';
import { migrateDatabase } from '@posthorn/domain/schema';
import { readEnv, toConfig } from '@posthorn/platform/config';
import { createLog } from '@posthorn/platform/logs';
import { connectDatabase, readDatabaseTime } from '@posthorn/platform/postgres';
import { findMemoryFolder, startPostgres, startRedis } from '@posthorn/servers';
import { toDatabaseUrl } from './test-database.js';
import { TEMPLATE_DATABASE, TEST_SECRET_KEY, toEnv } from './test-run.js';

/** The one message that this process sends to its parent: the addresses of the servers, or why they did not start. */
export type ServersMessage = { readonly env: Record<string, string> } | { readonly failure: string };

/** Trades durability for speed. If the machine crashes, the data of a test run does not matter. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: 300,
  shared_buffers: '64MB',
  max_wal_size: '256MB',
  autovacuum_naptime: '1h',
  // Client and server repeat the hash of the password this many times for each connection. The default is 4,096.
  scram_iterations: 1,
};

const TEMPLATE_CLUSTER = 'template';

const folder = mkdtempSync(join(findMemoryFolder() ?? tmpdir(), 'posthorn-test-'));
const testFolder = join(folder, 'tests');
mkdirSync(testFolder);

/** Prints the messages from `startRedis`, because it may install Redis. */
function log(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Starts as many pairs of servers as the first argument says. */
async function start(): Promise<() => Promise<void>> {
  const numbers = Array.from({ length: Number(process.argv[2]) }, (_, index) => index + 1);
  await createTemplateCluster();
  const pairs = await Promise.all(numbers.map(startPair));
  const addresses = pairs.map(({ postgres, redis }) => ({ postgresUrl: postgres.url, redisUrl: redis.url }));
  send({ env: { ...toEnv(addresses), TEST_FOLDER: testFolder } });
  return async () => {
    await Promise.all(pairs.flatMap(({ postgres, redis }) => [postgres.stopImmediately(), redis.kill()]));
  };
}

const startTestPostgres = (name: string) => startPostgres({ dataDir: join(folder, name), settings: SETTINGS, log });

async function startPair(number: number) {
  // Unlike Node's cpSync, this keeps the owner of the files.
  execFileSync('cp', ['-a', join(folder, TEMPLATE_CLUSTER), join(folder, `postgres-${number}`)]);
  const [postgres, redis] = await Promise.all([
    startTestPostgres(`postgres-${number}`),
    startRedis({ dataDir: join(folder, `redis-${number}`), log }),
  ]);
  return { postgres, redis };
}

/** Every worker's Postgres is a copy of a cluster that has the template of all test databases. */
async function createTemplateCluster(): Promise<void> {
  const postgres = await startTestPostgres(TEMPLATE_CLUSTER);
  await createTemplateDatabase(postgres.url);
  await postgres.stop();
}

/**
 * Creates one database and migrates it. Every test database is a copy of it. It has what a worker adds when it starts:
 * partitions, which take a third of a second, and the platform domain's key, which takes a tenth.
 */
async function createTemplateDatabase(postgresUrl: string): Promise<void> {
  const admin = connectDatabase(postgresUrl, { poolSize: 1 });
  await admin.raw('create database ??', [TEMPLATE_DATABASE]);
  // Stores the password again, now hashed with the setting above.
  const { username, password } = new URL(postgresUrl);
  await admin.raw(`alter user ?? password '${password}'`, [username]);
  await admin.destroy();
  const databaseUrl = toDatabaseUrl(postgresUrl, TEMPLATE_DATABASE);
  await migrateDatabase(databaseUrl);
  const env = readEnv({ DATABASE_URL: databaseUrl, REDIS_URL: 'redis://127.0.0.1:1', SECRET_KEY: TEST_SECRET_KEY });
  const config = toConfig(env, 'cli');
  const db = connectDatabase(databaseUrl);
  const log = createLog('test', 'warn');
  await maintainPartitions({ config, db, log }, await readDatabaseTime(db));
  await preparePlatformKey({ config, db, log, now: () => new Date() });
  await db.destroy();
}

function send(message: ServersMessage): void {
  process.send?.(message);
}

const started = start();

/** The parent has finished or was killed. Ctrl-C is ignored, because the parent decides when to stop. */
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
