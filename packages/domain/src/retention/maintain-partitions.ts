import { NIL } from 'uuid';
import type { Context } from '../context.js';
import { connectDatabase } from '../database/connect.js';
import { DAY_MS } from '../durations.js';
import { firstIdAt } from '../ids.js';
import { firstPartition, periodOf, planAhead, planBound, planDrop } from './partition-plan.js';
import {
  changePartitions,
  checkBound,
  closeLastPartition,
  countRows,
  divideLastPartition,
  dropFirstPartitions,
  findNewestId,
  isAnyWaiting,
  listPartitions,
  lockPartitions,
  type Partition,
  type PartitionedTable,
} from './partition-store.js';

/** So many rows are moved to another partition while statements wait. It takes a tenth of a second. */
const MAX_MOVED_ROWS = 10_000;

const PARTS: readonly PartitionedTable[] = [
  'email_contents',
  'email_tags',
  'email_recipients',
  'delivery_attempts',
  'email_events',
];

type RetentionContext = Pick<Context, 'config' | 'db' | 'log'>;

/**
 * Adds partitions for the emails to come, and drops those whose emails are all older than CONTENT_RETENTION_DAYS or
 * EMAIL_RETENTION_DAYS. Any number of workers may call it at the same time. If a lock is not free at once, that table
 * is left for the next call.
 * @param now by Postgres' clock: a worker whose clock is wrong must not drop anything
 */
export async function keepPartitions(ctx: RetentionContext, now: Date): Promise<void> {
  for (const table of [...PARTS, 'emails'] as const) {
    try {
      await addPartitions(ctx, table, now);
      await dropPartitions(ctx, table, now);
    } catch (error) {
      ctx.log.warn({ error, table }, 'partitions_not_changed');
    }
  }
}

function daysOf({ config }: RetentionContext, table: PartitionedTable): number {
  const { contentRetentionDays, emailRetentionDays } = config;
  return table === 'email_contents' ? Math.min(contentRetentionDays, emailRetentionDays) : emailRetentionDays;
}

async function addPartitions(ctx: RetentionContext, table: PartitionedTable, now: Date): Promise<void> {
  const periodMs = periodOf(daysOf(ctx, table));
  const last = lastOf(await listPartitions(ctx.db, table));
  if (planAhead(table, last, { now, periodMs }).length === 0) return;
  if ((await countRows(ctx.db, last, MAX_MOVED_ROWS + 1)) > MAX_MOVED_ROWS) {
    await closeFullPartition(ctx, table, { last, now, periodMs });
    return;
  }
  await changePartitions(ctx.db, table, async (trx, partitions) => {
    const current = lastOf(partitions);
    const added = planAhead(table, current, { now, periodMs });
    if (added.length === 0) return;
    await lockPartitions(trx, table, [current]);
    if ((await countRows(trx, current, MAX_MOVED_ROWS + 1)) > MAX_MOVED_ROWS) return;
    await divideLastPartition(trx, table, current, added);
    ctx.log.info({ table, added: added.length - 1 }, 'partitions_added');
  });
}

/**
 * Workers were stopped for weeks, or the clock of an API process is wrong, so that the last partition has too many rows
 * to move. It stays as it is and gets an upper bound after its newest row. Checking that takes long without stopping
 * anyone, so it has a connection of its own, without a time limit.
 */
async function closeFullPartition(
  ctx: RetentionContext,
  table: PartitionedTable,
  { last, now, periodMs }: { last: Partition; now: Date; periodMs: number },
): Promise<void> {
  const db = connectDatabase(ctx.config.databaseUrl, { poolSize: 1, silenceMs: 0 });
  try {
    await db.raw('set statement_timeout = 0');
    const newest = await findNewestId(db, table, last);
    const planned = planBound(table, last, { newest, now, periodMs });
    await checkBound(db, table, planned[0]);
    await changePartitions(db, table, async (trx, partitions) => {
      if (lastOf(partitions).name !== last.name) return;
      await lockPartitions(trx, table, [last]);
      await closeLastPartition(trx, table, last, planned);
      ctx.log.info({ table, added: 1 }, 'partitions_added');
    });
  } finally {
    await db.destroy();
  }
}

async function dropPartitions(ctx: RetentionContext, table: PartitionedTable, now: Date): Promise<void> {
  const keptFrom = await keptFromOf(ctx, table, now);
  if (!(await isAnyOld(ctx, planDrop(await listPartitions(ctx.db, table), keptFrom)))) return;
  await changePartitions(ctx.db, table, async (trx, partitions) => {
    const dropped = planDrop(partitions, keptFrom);
    const to = dropped.at(-1)?.to;
    if (!to) return;
    await lockPartitions(trx, table, dropped);
    // Emails that have not ended keep everything. This can last for as long as they are tried again.
    if (await isAnyWaiting(trx, to)) {
      ctx.log.debug({ table }, 'partitions_still_needed');
      return;
    }
    await dropFirstPartitions(trx, table, dropped, firstPartition(table, to));
    ctx.log.info({ table, dropped: dropped.length }, 'partitions_dropped');
  });
}

/** Emails are dropped after their parts, so that no part is left without its email. */
async function keptFromOf(ctx: RetentionContext, table: PartitionedTable, now: Date): Promise<string> {
  const byAge = firstIdAt(now.getTime() - daysOf(ctx, table) * DAY_MS);
  if (table !== 'emails') return byAge;
  const ends = await Promise.all(PARTS.map((part) => droppedTo(ctx, part)));
  return [byAge, ...ends].sort()[0] as string;
}

/** Below this id, the table has no rows. */
async function droppedTo({ db }: RetentionContext, table: PartitionedTable): Promise<string> {
  const [first] = await listPartitions(db, table);
  return first?.to && (await countRows(db, first, 1)) === 0 ? first.to : NIL;
}

/** The first partition is always old. It is empty, unless an API process with a wrong clock has stored something. */
async function isAnyOld({ db }: RetentionContext, [first, ...others]: readonly Partition[]): Promise<boolean> {
  return first !== undefined && (others.length > 0 || (await countRows(db, first, 1)) > 0);
}

function lastOf(partitions: readonly Partition[]): Partition {
  return partitions.at(-1) as Partition;
}
