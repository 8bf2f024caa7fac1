import { listPartitions, partitionedTables } from '@posthorn/domain/retention';
import { migrations } from '@posthorn/domain/schema';
import { type Db, toWritability, WRITABILITY, type Writability } from '@posthorn/platform/postgres';
import { findInfoField, type RedisClient } from '@posthorn/platform/redis';
import { getIdTime } from '@posthorn/platform/values';

/** What `posthorn doctor` reads from Postgres. */
export type PostgresFacts = {
  readonly writability: Writability;
  /** Such as 180001. */
  readonly versionNumber: number;
  readonly settings: Readonly<Record<(typeof SETTINGS)[number], string>>;
  /** Sessions of all databases and users, and how many of them there may be without those for superusers. */
  readonly connections: { readonly used: number; readonly max: number };
  /** Whether the user is a member of pg_read_all_stats. */
  readonly canReadStats: boolean;
  readonly databaseBytes: number;
  /** Where the files are, if the user may know. */
  readonly dataDirectory: string | null;
  /** Transactions since the oldest row was frozen. Postgres stops at about two billion. */
  readonly transactionAge: number;
  /** Tables with more dead rows than autovacuum should leave. */
  readonly unvacuumedTables: ReadonlyArray<{ readonly name: string; readonly deadRows: number }>;
};

const SETTINGS = [
  'fsync',
  'full_page_writes',
  'synchronous_commit',
  'synchronous_standby_names',
  'autovacuum',
] as const;

/** Autovacuum starts at a fifth of the rows. Tables below this number of dead rows are vacuumed soon enough. */
const MIN_DEAD_ROWS = 100_000;

/** Reads only settings and statistics, so it is quick even if the tables are large. */
export async function readPostgresFacts(db: Db): Promise<PostgresFacts> {
  const { rows: writability } = await db.raw(WRITABILITY);
  const { rows: settings } = await db.raw(
    'select name, current_setting(name) as value from unnest(?::text[]) as wanted (name)',
    [[...SETTINGS]],
  );
  const { rows } = await db.raw(
    `select current_setting('server_version_num')::int as version,
       (select count(*)::int from pg_stat_activity where backend_type = 'client backend' or backend_type is null) as used,
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as max,
       pg_has_role('pg_read_all_stats', 'usage') as can_read_stats,
       pg_database_size(current_database()) as bytes,
       case when pg_has_role('pg_read_all_settings', 'usage') then current_setting('data_directory') end as directory,
       (select max(age(datfrozenxid))::int from pg_database) as age`,
  );
  const { rows: tables } = await db.raw(
    `select relname as name, n_dead_tup as dead from pg_stat_user_tables
     where n_dead_tup > ? and n_dead_tup > n_live_tup / 2 order by n_dead_tup desc limit 5`,
    [MIN_DEAD_ROWS],
  );
  const [facts] = rows;
  return {
    writability: toWritability(writability[0]),
    versionNumber: facts.version,
    settings: Object.fromEntries(settings.map(({ name, value }: { name: string; value: string }) => [name, value])),
    connections: { used: facts.used, max: facts.max },
    canReadStats: facts.can_read_stats,
    databaseBytes: facts.bytes,
    dataDirectory: facts.directory,
    transactionAge: facts.age,
    unvacuumedTables: tables.map(({ name, dead }: { name: string; dead: number }) => ({ name, deadRows: dead })),
  } as PostgresFacts;
}

/** The names of the migrations that this version has and the database lacks, and the other way round. */
export async function compareSchema(db: Db): Promise<{ missing: string[]; unknown: string[] }> {
  const applied = new Set<string>(await db('migrations').pluck('name'));
  const known = new Set(migrations.map(({ name }) => name));
  return {
    missing: [...known].filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !known.has(name)),
  };
}

/** Until when every partitioned table has partitions. Later rows go to the last partition. */
export async function findPartitionEnd(db: Db): Promise<Date> {
  const ends = await Promise.all(
    partitionedTables.map(async (table) => getIdTime((await listPartitions(db, table)).at(-1)?.from ?? '0')),
  );
  return new Date(Math.min(...ends));
}

/** What `posthorn doctor` reads from Redis; in a cluster, from one of its nodes. */
export type RedisFacts = {
  readonly version: string;
  readonly evictionPolicy: string;
  readonly isAppendOnly: boolean;
  readonly usedBytes: number;
  /** 0 for no limit. */
  readonly maxBytes: number;
};

export async function readRedisFacts(redis: RedisClient): Promise<RedisFacts> {
  const text = await redis.info();
  const field = (name: string) => findInfoField(text, name) ?? '';
  return {
    version: field('redis_version'),
    evictionPolicy: field('maxmemory_policy'),
    isAppendOnly: field('aof_enabled') === '1',
    usedBytes: Number(field('used_memory')),
    maxBytes: Number(field('maxmemory')),
  };
}

/** By how many milliseconds a server's clock is ahead of this machine's. The time of the request is halved. */
export async function measurePostgresClockOffset(db: Db): Promise<number> {
  return measureOffset(async () => {
    const { rows } = await db.raw('select extract(epoch from clock_timestamp())::float * 1000 as now');
    return rows[0].now;
  });
}

export async function measureRedisClockOffset(redis: RedisClient): Promise<number> {
  return measureOffset(async () => {
    const [seconds, microseconds] = await redis.time();
    return Number(seconds) * 1_000 + Number(microseconds) / 1_000;
  });
}

async function measureOffset(read: () => Promise<number>): Promise<number> {
  // The first request may have to connect.
  await read();
  const before = Date.now();
  const theirs = await read();
  return theirs - (before + Date.now()) / 2;
}
