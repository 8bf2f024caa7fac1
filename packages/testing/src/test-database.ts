import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectDatabase, type Db } from '@posthorn/domain';
import { serverAddresses, TEMPLATE_DATABASE } from './server-addresses.js';

const LEAK_TIMEOUT_MS = 10_000;
const POLL_MS = 20;

/** @returns the URL of another database on the same server, or on the same servers if the URL names several hosts */
export function inDatabase(postgresUrl: string, database: string): string {
  return postgresUrl.replace(/^([^/]*\/\/[^/]*\/)[^?]*/, (_, server: string) => `${server}${database}`);
}

/**
 * Creates a migrated, empty database for one test. Copying its files is faster than Postgres' default, which writes every
 * page to the write-ahead log.
 * @returns its URL
 */
export async function createTestDatabase(): Promise<string> {
  const { postgresUrl } = serverAddresses();
  const database = `test_${randomBytes(6).toString('hex')}`;
  await asAdmin((admin) =>
    admin.raw('create database ?? template ?? strategy file_copy', [database, TEMPLATE_DATABASE]),
  );
  return inDatabase(postgresUrl, database);
}

/** @returns the last statement of each connection that the test did not close */
export async function dropTestDatabase(databaseUrl: string): Promise<string[]> {
  const database = new URL(databaseUrl).pathname.slice(1);
  return asAdmin(async (admin) => {
    const leaks = await connectionsOf(admin, database);
    await admin.raw('drop database if exists ?? with (force)', [database]);
    return leaks;
  });
}

/** Waits briefly, because Postgres may still list a connection that was just closed. */
async function connectionsOf(admin: Db, database: string): Promise<string[]> {
  const deadline = Date.now() + LEAK_TIMEOUT_MS;
  for (;;) {
    const sessions = await admin('pg_stat_activity').select('query').where({ datname: database });
    if (sessions.length === 0 || Date.now() > deadline) return sessions.map(({ query }) => String(query));
    await sleep(POLL_MS);
  }
}

async function asAdmin<Result>(work: (admin: Db) => PromiseLike<Result>): Promise<Result> {
  const admin = connectDatabase(serverAddresses().postgresUrl, { poolSize: 1 });
  try {
    return await work(admin);
  } finally {
    await admin.destroy();
  }
}
