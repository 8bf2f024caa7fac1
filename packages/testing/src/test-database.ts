import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { closeAtRunEnd, getServerAddresses, TEMPLATE_DATABASE } from './test-run.js';
import { untilNone } from './until.js';

/** @returns the URL of another database on the same server, or on the same servers if the URL names several hosts */
export function toDatabaseUrl(postgresUrl: string, database: string): string {
  return postgresUrl.replace(/^([^/]*\/\/[^/]*\/)[^?]*/, (_, server: string) => `${server}${database}`);
}

const SHARED = 'shared';

let shared: Promise<string> | undefined;
let isUsedByFile = false;

/**
 * The database that the tests of this worker share.
 * @returns its URL
 */
export function getSharedDatabase(): Promise<string> {
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
  const leaks = await untilNone(() => listConnections(SHARED));
  if (leaks.length === 0) return;
  await queryAsAdmin('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [SHARED]);
  throw new Error(`The file left ${leaks.length} connection(s) open:\n${leaks.join('\n')}`);
}

/**
 * Creates a migrated, empty database for one test. Copying its files is faster than Postgres' default, which writes every
 * page to the write-ahead log.
 * @returns its URL
 */
export async function createTestDatabase(database = `test_${randomBytes(6).toString('hex')}`): Promise<string> {
  const { postgresUrl } = getServerAddresses();
  await queryAsAdmin(`create database ${database} template ${TEMPLATE_DATABASE} strategy file_copy`);
  return toDatabaseUrl(postgresUrl, database);
}

/** @returns the last statement of each connection that the test did not close */
export async function dropTestDatabase(databaseUrl: string): Promise<string[]> {
  const database = new URL(databaseUrl).pathname.slice(1);
  const leaks = await untilNone(() => listConnections(database));
  await queryAsAdmin(`drop database if exists ${database} with (force)`);
  return leaks;
}

async function listConnections(database: string): Promise<string[]> {
  const { rows } = await queryAsAdmin('select query from pg_stat_activity where datname = $1', [database]);
  return rows.map((row) => String(row.query));
}

let admin: Promise<pg.Client> | undefined;

/**
 * Runs SQL on the worker's one admin connection. Unlike the product's connections, it has no time limit, because the
 * machine may be busy.
 */
async function queryAsAdmin(sql: string, values?: readonly string[]): Promise<pg.QueryResult> {
  admin ??= connectAdmin();
  return (await admin).query(sql, values && [...values]);
}

async function connectAdmin(): Promise<pg.Client> {
  const client = new pg.Client(getServerAddresses().postgresUrl);
  await client.connect();
  closeAtRunEnd(() => client.end());
  return client;
}
