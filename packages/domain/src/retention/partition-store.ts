import { ADVISORY_LOCKS, type Db } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';

/** The tables that are partitioned by an id that begins with a time: the email's, or that of its event. */
export const partitionedTables = [
  'emails',
  'email_contents',
  'email_attachments',
  'email_recipients',
  'email_tags',
  'delivery_attempts',
  'events',
  'webhook_deliveries',
] as const;

export type PartitionedTable = (typeof partitionedTables)[number];

/**
 * A part of a table: the emails whose ids are at least `from` and below `to`. The first partition has no lower bound
 * and the last one has no upper bound, so every id has a partition, even if the process that created the id had a wrong
 * clock.
 */
export type Partition = { readonly name: string; readonly from: string | null; readonly to: string | null };

/**
 * Adding or dropping a partition needs a lock on the whole table. While that lock waits for running statements, later
 * statements wait behind it. A dump may hold its lock for hours, and accepting emails must not wait that long. The next
 * round tries again.
 */
const MAX_LOCK_WAIT_MS = 100;
const BOUNDS = /^FOR VALUES FROM \((?:'(?<from>[0-9a-f-]{36})'|MINVALUE)\) TO \((?:'(?<to>[0-9a-f-]{36})'|MAXVALUE)\)$/;

/** The partitions of a table, in the order of their bounds. */
export async function listPartitions(db: Knex, table: PartitionedTable): Promise<Partition[]> {
  const { rows } = await db.raw(
    `select relname as name, pg_get_expr(relpartbound, pg_class.oid) as bounds
     from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = ?::regclass`,
    [table],
  );
  return rows
    .map(toPartition)
    .sort((one: Partition, other: Partition) => ((one.from ?? '') < (other.from ?? '') ? -1 : 1));
}

function toPartition({ name, bounds }: { name: string; bounds: string }): Partition {
  const { from = null, to = null } = BOUNDS.exec(bounds)?.groups ?? {};
  return { name, from, to };
}

/**
 * Runs `work` in a transaction with the current partitions, unless another process is changing them, or runs
 * migrations: those build indexes partition by partition.
 * @returns null if another process is doing so
 * @throws Error if a long transaction uses the table; the Postgres error if a lock is not free within MAX_LOCK_WAIT_MS
 */
export async function changePartitions<Result>(
  db: Db,
  table: PartitionedTable,
  work: (trx: Knex.Transaction, partitions: readonly Partition[]) => Promise<Result>,
): Promise<Result | null> {
  return db.transaction(async (trx) => {
    const { rows } = await trx.raw(
      'select pg_try_advisory_xact_lock(?) as is_ours, pg_try_advisory_xact_lock_shared(?) as is_not_migrating',
      [ADVISORY_LOCKS.partitions, ADVISORY_LOCKS.migrations],
    );
    if (!rows[0].is_ours || !rows[0].is_not_migrating) return null;
    await assertNotUsedForLong(trx, table);
    await trx.raw(`set local lock_timeout = ${MAX_LOCK_WAIT_MS}`);
    return work(trx, await listPartitions(trx, table));
  });
}

/**
 * There is no point in waiting, because a dump may take hours, and the waits of many workers would add up. If our
 * database user may not see the transactions of other users, only the lock timeout limits the wait.
 */
async function assertNotUsedForLong(trx: Knex.Transaction, table: PartitionedTable): Promise<void> {
  const { rows } = await trx.raw(
    `select from pg_locks join pg_stat_activity using (pid)
     where database = (select oid from pg_database where datname = current_database())
       and relation = ?::regclass and granted and pid <> pg_backend_pid()
       and xact_start < clock_timestamp() - interval '1 second' limit 1`,
    [table],
  );
  if (rows.length > 0) throw new Error(`A transaction has been using the table ${table} for over a second`);
}

/** Locks tables in the same order as other statements do: the whole table first. */
export async function lockPartitions(
  trx: Knex.Transaction,
  table: PartitionedTable,
  partitions: readonly Partition[],
): Promise<void> {
  for (const name of [table, ...partitions.map((partition) => partition.name)])
    await trx.raw('lock table only ?? in access exclusive mode', [name]);
}

/** Counts the rows in a partition, up to `limit`. */
export async function countRows(db: Knex, { name }: Partition, limit: number): Promise<number> {
  const { rows } = await db.raw('select count(*) as count from (select from ?? limit ?) as rows', [name, limit]);
  return rows[0].count;
}

/** The newest email id in a partition that is not empty. Finding it reads the whole partition. */
export async function findNewestId(db: Knex, table: PartitionedTable, { name }: Partition): Promise<string> {
  const key = getKeyColumn(table);
  const { rows } = await db.raw('select ?? as id from ?? order by ?? desc limit 1', [key, name, key]);
  return rows[0].id;
}

/**
 * Replaces the last partition with several. Its rows move to the new ones, so there must be few of them. The new
 * partitions get the storage settings of the last one.
 */
export async function splitLastPartition(
  trx: Knex.Transaction,
  table: PartitionedTable,
  last: Partition,
  added: readonly Partition[],
): Promise<void> {
  const settings = await readSettings(trx, last);
  await trx.raw('create temporary table moved_rows on commit drop as select * from ??', [last.name]);
  await trx.raw('drop table ??', [last.name]);
  for (const partition of added) await createPartition(trx, table, partition, settings);
  await trx.raw('insert into ?? select * from moved_rows', [table]);
}

/** Gives the last partition an upper bound, and adds a new last one. No row may be above the bound. */
export async function closeLastPartition(
  trx: Knex.Transaction,
  table: PartitionedTable,
  last: Partition,
  [closed, added]: readonly [closed: Partition, added: Partition],
): Promise<void> {
  const settings = await readSettings(trx, last);
  await trx.raw('alter table ?? detach partition ??', [table, last.name]);
  await trx.raw(`alter table ?? attach partition ?? ${toBoundsSql(closed)}`, [table, last.name]);
  await trx.raw('alter table ?? drop constraint if exists ??', [last.name, BOUND_CHECK]);
  await createPartition(trx, table, added, settings);
}

const BOUND_CHECK = 'partition_bound';

/**
 * Checks that no row of the last partition is above its future bound. Other statements can read and write the partition
 * in the meantime. Postgres then does not read the rows again when it attaches the partition.
 */
export async function checkBound(db: Db, table: PartitionedTable, { name, from, to }: Partition): Promise<void> {
  const key = getKeyColumn(table);
  await db.transaction(async (trx) => {
    await trx.raw(`set local lock_timeout = ${MAX_LOCK_WAIT_MS}`);
    await trx.raw('alter table ?? drop constraint if exists ??', [name, BOUND_CHECK]);
    await trx.raw(`alter table ?? add constraint ?? check (?? >= '${from}' and ?? < '${to}') not valid`, [
      ...[name, BOUND_CHECK],
      ...[key, key],
    ]);
  });
  await db.transaction(async (trx) => {
    await trx.raw('set local statement_timeout = 0');
    await trx.raw('alter table ?? validate constraint ??', [name, BOUND_CHECK]);
  });
}

/** Drops the first partitions, and puts an empty one in their place. */
export async function dropFirstPartitions(
  trx: Knex.Transaction,
  table: PartitionedTable,
  dropped: readonly Partition[],
  replacement: Partition,
): Promise<void> {
  const settings = await readSettings(trx, dropped.at(-1) as Partition);
  await trx.raw(
    `drop table ${dropped.map(() => '??').join(', ')}`,
    dropped.map(({ name }) => name),
  );
  await createPartition(trx, table, replacement, settings);
}

/** Whether any email with an id below `below` is unfinished. */
export async function hasUnfinishedEmails(db: Knex, below: string): Promise<boolean> {
  const { rows } = await db.raw('select from deliveries where email_id < ?::uuid limit 1', [below]);
  return rows.length > 0;
}

/** Storage settings, such as `fillfactor=50`. A partitioned table has no settings that its partitions could inherit. */
async function readSettings(trx: Knex.Transaction, { name }: Partition): Promise<string[]> {
  const { rows } = await trx.raw(
    "select coalesce(reloptions, '{}') as settings from pg_class where oid = ?::regclass",
    [name],
  );
  return rows[0].settings;
}

async function createPartition(
  trx: Knex.Transaction,
  table: PartitionedTable,
  partition: Partition,
  settings: readonly string[],
): Promise<void> {
  const options = settings.length > 0 ? ` with (${settings.join(', ')})` : '';
  await trx.raw(`create table ?? partition of ?? ${toBoundsSql(partition)}${options}`, [partition.name, table]);
}

/**
 * The bounds as SQL text, because statements that create tables take no parameters. Bounds come from `toFirstId` or
 * from Postgres.
 */
function toBoundsSql({ from, to }: Partition): string {
  return `for values from (${from === null ? 'minvalue' : `'${from}'`}) to (${to === null ? 'maxvalue' : `'${to}'`})`;
}

function getKeyColumn(table: PartitionedTable): string {
  return KEYS[table] ?? 'email_id';
}

const KEYS: { readonly [Table in PartitionedTable]?: string } = {
  emails: 'id',
  events: 'stream_id',
  webhook_deliveries: 'event_id',
};
