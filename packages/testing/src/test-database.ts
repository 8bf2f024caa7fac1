import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { serverAddresses, TEMPLATE_DATABASE } from './server-addresses.js';

const LEAK_TIMEOUT_MS = 10_000;
const POLL_MS = 20;

/** @returns the URL of another database on the same server, or on the same servers if the URL names several hosts */
export function inDatabase(postgresUrl: string, database: string): string {
  return postgresUrl.replace(/^([^/]*\/\/[^/]*\/)[^?]*/, (_, server: string) => `${server}${database}`);
}

const SHARED = 'shared';

let shared: Promise<string> | undefined;
let isUsedByFile = false;

/**
 * The database that the tests of this worker share.
 * @returns its URL
 */
export function sharedDatabase(): Promise<string> {
  shared ??= createTestDatabase(SHARED);
  isUsedByFile = true;
  return shared;
}

export function isSharedDatabase(databaseUrl: string): boolean {
  return databaseUrl.endsWith(`/${SHARED}`);
}

/**
 * Every file calls this at its end. Connections that are still open are closed, because they may hold locks.
 * @throws Error if the file left connections to the shared database open
 */
export async function expectNoConnections(): Promise<void> {
  if (!isUsedByFile) return;
  isUsedByFile = false;
  const leaks = await asAdmin(async (admin) => {
    const found = await connectionsOf(admin, SHARED);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [SHARED]);
    return found;
  });
  if (leaks.length > 0) throw new Error(`The file left ${leaks.length} connection(s) open:\n${leaks.join('\n')}`);
}

/**
 * Creates a migrated, empty database for one test. Copying its files is faster than Postgres' default, which writes every
 * page to the write-ahead log.
 * @returns its URL
 */
export async function createTestDatabase(database = `test_${randomBytes(6).toString('hex')}`): Promise<string> {
  const { postgresUrl } = serverAddresses();
  await asAdmin((admin) => admin.query(`create database ${database} template ${TEMPLATE_DATABASE} strategy file_copy`));
  return inDatabase(postgresUrl, database);
}

/** @returns the last statement of each connection that the test did not close */
export async function dropTestDatabase(databaseUrl: string): Promise<string[]> {
  const database = new URL(databaseUrl).pathname.slice(1);
  return asAdmin(async (admin) => {
    const leaks = await connectionsOf(admin, database);
    await admin.query(`drop database if exists ${database} with (force)`);
    return leaks;
  });
}

/** Waits briefly, because Postgres may still list a connection that was just closed. */
async function connectionsOf(admin: pg.Client, database: string): Promise<string[]> {
  const deadline = Date.now() + LEAK_TIMEOUT_MS;
  for (;;) {
    const { rows } = await admin.query('select query from pg_stat_activity where datname = $1', [database]);
    if (rows.length === 0 || Date.now() > deadline) return rows.map(({ query }) => String(query));
    await sleep(POLL_MS);
  }
}

/** Unlike the product's connections, this one has no time limit, because the machine may be busy. */
async function asAdmin<Result>(work: (admin: pg.Client) => Promise<Result>): Promise<Result> {
  const admin = new pg.Client(serverAddresses().postgresUrl);
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}
