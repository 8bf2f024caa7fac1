import { DAY_MS, firstIdAt, timeOfId } from '@posthorn/platform/values';
import type { Partition, PartitionedTable } from './partition-store.js';

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
export function periodOf(days: number): number {
  return Math.ceil(days / PARTITIONS) * DAY_MS;
}

/**
 * The partitions that replace the last one.
 * @returns an empty list if the last one begins far enough in the future
 */
export function planNewPartitions(
  table: PartitionedTable,
  last: Partition,
  { now, periodMs }: { now: Date; periodMs: number },
): Partition[] {
  const ahead = now.getTime() + AHEAD_MS;
  const starts = [timeOfId(last.from as string)];
  while ((starts.at(-1) as number) <= ahead) starts.push((starts.at(-1) as number) + periodMs);
  if (starts.length === 1) return [];
  return starts.map((start, index) => partitionFrom(table, start, starts[index + 1] ?? null));
}

/** The last partition, with an upper bound after `newest`, and the new last one. */
export function planUpperBound(
  table: PartitionedTable,
  last: Partition,
  { newest, now, periodMs }: { newest: string; now: Date; periodMs: number },
): [closed: Partition, added: Partition] {
  const end = Math.max(now.getTime(), timeOfId(newest)) + periodMs;
  return [{ ...last, to: firstIdAt(end) }, partitionFrom(table, end, null)];
}

/** The partitions whose ids are all below `keptFrom`. */
export function partitionsToDrop(partitions: readonly Partition[], keptFrom: string): Partition[] {
  return partitions.filter(({ to }) => to !== null && to <= keptFrom);
}

/** The empty partition that replaces the dropped ones. */
export function emptyFirstPartition(table: PartitionedTable, to: string): Partition {
  return { name: `${table}_first`, from: null, to };
}

function partitionFrom(table: PartitionedTable, start: number, end: number | null): Partition {
  const day = new Date(start).toISOString().slice(0, 10).replaceAll('-', '');
  return { name: `${table}_${day}`, from: firstIdAt(start), to: end === null ? null : firstIdAt(end) };
}
