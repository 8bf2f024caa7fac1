import type { Context } from '@posthorn/platform';
import { connectDatabase, type Db } from '@posthorn/platform/postgres';

/** The pool closes a connection that is idle for 30 seconds, and the next one would have timeouts again. */
const KEEP_OPEN_MS = 10_000;

/** Opens a connection without timeouts, for slow statements. */
export async function connectWithoutTimeouts(databaseUrl: string): Promise<Db> {
  const db = connectDatabase(databaseUrl, { poolSize: 1, silenceMs: 0 });
  await db.raw('set statement_timeout = 0; set lock_timeout = 0');
  setInterval(() => db.raw('select').catch(() => {}), KEEP_OPEN_MS).unref();
  return db;
}

export async function databaseNow({ db }: Pick<Context, 'db'>): Promise<Date> {
  const { rows } = await db.raw('select clock_timestamp() as now');
  return rows[0].now;
}

/** Removes all emails, their usage and everything in Redis. No worker may be running, but an API may. */
export async function emptyStore(db: Db, { redis }: Pick<Context, 'redis'>): Promise<void> {
  await db.raw(`
    truncate emails, deliveries, email_contents, email_recipients, email_tags, delivery_attempts, events,
      idempotency_keys, usage`);
  await redis.flushdb('SYNC');
}

const TABLES = [
  'emails',
  'deliveries',
  'email_contents',
  'email_recipients',
  'email_tags',
  'delivery_attempts',
  'events',
];

/** Disk space per email in all tables and indexes. */
export async function bytesPerEmail(db: Db): Promise<number> {
  const { rows } = await db.raw(`
    select sum(pg_total_relation_size(coalesce(relid, name::regclass))) / (select count(*) from emails) as bytes
    from unnest(array[${TABLES.map((name) => `'${name}'`)}]) as name
    left join lateral pg_partition_tree(name::regclass) on true`);
  return Number(rows[0].bytes);
}

/** Does what autovacuum and the checkpointer would do within minutes after such a load. */
export async function settleTables(db: Db): Promise<void> {
  await vacuumTables(db);
  await db.raw('checkpoint');
}

export async function vacuumTables(db: Db): Promise<void> {
  for (const name of [...TABLES, 'usage']) await db.raw(`vacuum analyze ${name}`);
}
