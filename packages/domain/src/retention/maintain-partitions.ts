import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { connectDatabase } from '@posthorn/platform/postgres';
import { DAY_MS, getIdTime, toFirstId } from '@posthorn/platform/values';
import { NIL } from 'uuid';
import {
  changePartitions,
  checkBound,
  closeLastPartition,
  countRows,
  dropFirstPartitions,
  findNewestId,
  hasUnfinishedEmails,
  listPartitions,
  lockPartitions,
  type Partition,
  type PartitionedTable,
  splitLastPartition,
} from './partition-store.js';

/** Other statements wait while rows are moved to another partition. Moving this many rows takes a tenth of a second. */
const MAX_MOVED_ROWS = 10_000;

/** The tables that contain the parts of an email. */
const PART_TABLES: readonly PartitionedTable[] = [
  'email_contents',
  'email_attachments',
  'email_tags',
  'email_recipients',
  'delivery_attempts',
  'events',
];

type RetentionContext = Pick<Context, 'config' | 'db' | 'log'>;

/**
 * Adds partitions for future emails, and drops those whose emails are all older than CONTENT_RETENTION_DAYS or
 * EMAIL_RETENTION_DAYS. Any number of workers may call it at the same time. If a lock is not free within
 * 100 ms, that table is left for the next call.
 * @param now the time according to Postgres, because a worker whose clock is wrong must not drop anything
 */
export async function maintainPartitions(ctx: RetentionContext, now: Date): Promise<void> {
  for (const table of [...PART_TABLES, 'emails', 'webhook_deliveries'] as const) {
    try {
      await addPartitions(ctx, table, now);
      await dropPartitions(ctx, table, now);
    } catch (error) {
      ctx.log.warn({ error, table }, 'partitions_not_changed');
    }
  }
}

function getRetentionDays({ config }: RetentionContext, table: PartitionedTable): number {
  const { contentRetentionDays, emailRetentionDays } = config;
  if (table === 'webhook_deliveries') return limits.webhookLogDays.max;
  const isContent = table === 'email_contents' || table === 'email_attachments';
  return isContent ? Math.min(contentRetentionDays, emailRetentionDays) : emailRetentionDays;
}

async function addPartitions(ctx: RetentionContext, table: PartitionedTable, now: Date): Promise<void> {
  const periodMs = getPeriodMs(getRetentionDays(ctx, table));
  const last = getLast(await listPartitions(ctx.db, table));
  if (planNewPartitions(table, last, { now, periodMs }).length === 0) return;
  if ((await countRows(ctx.db, last, MAX_MOVED_ROWS + 1)) > MAX_MOVED_ROWS) {
    await closeFullPartition(ctx, table, { last, now, periodMs });
    return;
  }
  await changePartitions(ctx.db, table, async (trx, partitions) => {
    const current = getLast(partitions);
    const added = planNewPartitions(table, current, { now, periodMs });
    if (added.length === 0) return;
    await lockPartitions(trx, table, [current]);
    if ((await countRows(trx, current, MAX_MOVED_ROWS + 1)) > MAX_MOVED_ROWS) return;
    await splitLastPartition(trx, table, current, added);
    ctx.log.info({ table, added: added.length - 1 }, 'partitions_added');
  });
}

/**
 * Used if the last partition has too many rows to move because workers were stopped for weeks or the clock of
 * an API process was wrong. The partition keeps its rows and gets an upper bound after the newest one. Checking that
 * bound takes a long time but blocks nobody, so it runs on a connection of its own, without a time limit.
 */
async function closeFullPartition(
  ctx: RetentionContext,
  table: PartitionedTable,
  { last, now, periodMs }: { last: Partition; now: Date; periodMs: number },
): Promise<void> {
  const { databaseUrl, databasePoolMode: poolMode } = ctx.config;
  const db = connectDatabase(databaseUrl, { poolSize: 1, silenceMs: 0, poolMode });
  try {
    await db.raw('set statement_timeout = 0');
    const newest = await findNewestId(db, table, last);
    const planned = planUpperBound(table, last, { newest, now, periodMs });
    await checkBound(db, table, planned[0]);
    await changePartitions(db, table, async (trx, partitions) => {
      if (getLast(partitions).name !== last.name) return;
      await lockPartitions(trx, table, [last]);
      await closeLastPartition(trx, table, last, planned);
      ctx.log.info({ table, added: 1 }, 'partitions_added');
    });
  } finally {
    await db.destroy();
  }
}

async function dropPartitions(ctx: RetentionContext, table: PartitionedTable, now: Date): Promise<void> {
  const keptFrom = await firstKeptId(ctx, table, now);
  if (!(await hasRowsToDrop(ctx, partitionsToDrop(await listPartitions(ctx.db, table), keptFrom)))) return;
  await changePartitions(ctx.db, table, async (trx, partitions) => {
    const dropped = partitionsToDrop(partitions, keptFrom);
    const to = dropped.at(-1)?.to;
    if (!to) return;
    await lockPartitions(trx, table, dropped);
    // An unfinished email must keep all its rows, so the partition stays until all of its emails are finished.
    if (table !== 'webhook_deliveries' && (await hasUnfinishedEmails(trx, to))) {
      ctx.log.debug({ table }, 'partitions_still_needed');
      return;
    }
    await dropFirstPartitions(trx, table, dropped, emptyFirstPartition(table, to));
    ctx.log.info({ table, dropped: dropped.length }, 'partitions_dropped');
  });
}

/** The first id that is kept. Emails are dropped after their parts, so that no part is left without its email. */
async function firstKeptId(ctx: RetentionContext, table: PartitionedTable, now: Date): Promise<string> {
  const byAge = toFirstId(now.getTime() - getRetentionDays(ctx, table) * DAY_MS);
  if (table !== 'emails') return byAge;
  const ends = await Promise.all(PART_TABLES.map((part) => emptyBelow(ctx, part)));
  return [byAge, ...ends].sort()[0] as string;
}

/** The id below which the table has no rows. */
async function emptyBelow({ db }: RetentionContext, table: PartitionedTable): Promise<string> {
  const [first] = await listPartitions(db, table);
  return first?.to && (await countRows(db, first, 1)) === 0 ? first.to : NIL;
}

/**
 * The first partition can always be dropped, but it is usually empty. It has rows only if the clock of an API process
 * was wrong.
 */
async function hasRowsToDrop({ db }: RetentionContext, [first, ...others]: readonly Partition[]): Promise<boolean> {
  return first !== undefined && (others.length > 0 || (await countRows(db, first, 1)) > 0);
}

function getLast(partitions: readonly Partition[]): Partition {
  return partitions.at(-1) as Partition;
}

/**
 * About how many partitions of a table contain rows. The number is small, however long rows are kept, because every
 * statement opens all partitions.
 */
const PARTITIONS = 5;
/** Partitions are added this long before they are needed, so workers may be stopped for that long. */
const AHEAD_MS = 7 * DAY_MS;

/**
 * The span of one partition. Rows are kept up to this much longer than `days`, because a partition is dropped as a
 * whole.
 */
function getPeriodMs(days: number): number {
  return Math.ceil(days / PARTITIONS) * DAY_MS;
}

/**
 * The partitions that replace the last one.
 * @returns an empty list if the last one begins far enough in the future
 */
function planNewPartitions(
  table: PartitionedTable,
  last: Partition,
  { now, periodMs }: { now: Date; periodMs: number },
): Partition[] {
  const ahead = now.getTime() + AHEAD_MS;
  const starts = [getIdTime(last.from as string)];
  while ((starts.at(-1) as number) <= ahead) starts.push((starts.at(-1) as number) + periodMs);
  if (starts.length === 1) return [];
  return starts.map((start, index) => partitionFrom(table, start, starts[index + 1] ?? null));
}

/** The last partition, with an upper bound after `newest`, and the new last one. */
function planUpperBound(
  table: PartitionedTable,
  last: Partition,
  { newest, now, periodMs }: { newest: string; now: Date; periodMs: number },
): [closed: Partition, added: Partition] {
  const end = Math.max(now.getTime(), getIdTime(newest)) + periodMs;
  return [{ ...last, to: toFirstId(end) }, partitionFrom(table, end, null)];
}

/** The partitions whose ids are all below `keptFrom`. */
function partitionsToDrop(partitions: readonly Partition[], keptFrom: string): Partition[] {
  return partitions.filter(({ to }) => to !== null && to <= keptFrom);
}

/** The empty partition that replaces the dropped ones. */
function emptyFirstPartition(table: PartitionedTable, to: string): Partition {
  return { name: `${table}_first`, from: null, to };
}

function partitionFrom(table: PartitionedTable, start: number, end: number | null): Partition {
  const day = new Date(start).toISOString().slice(0, 10).replaceAll('-', '');
  return { name: `${table}_${day}`, from: toFirstId(start), to: end === null ? null : toFirstId(end) };
}
