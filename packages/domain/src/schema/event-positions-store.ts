import type { Knex } from 'knex';

/**
 * Clients have cursors that are not stored here, and some are from after the backup. This is more than the number of
 * transactions that can have happened since the last stored position, so new events come after those cursors too.
 */
const MARGIN = 10_000_000_000;

/** The offset that new events need to follow every position that is stored; null if the one in use is enough. */
async function findOffset(db: Knex): Promise<number | null> {
  const { rows } = await db.raw(
    `select last - next + 1 + ?::bigint as offset
     from pg_snapshot_xmax(pg_current_snapshot()) as xmax, cast(xmax::text as bigint) as next, greatest(
       (select position from events where position >= 0 order by position desc limit 1),
       (select max(position) from webhook_states),
       (select max(position) from webhook_cursor),
       (select max(position) from sending_stats_cursor),
       (select max(position) from erasures)
     ) as last
     where last >= next + event_offset()`,
    [MARGIN],
  );
  return rows[0]?.offset ?? null;
}

/** Whether new events already follow every position that is stored. */
export async function areEventPositionsAligned(db: Knex): Promise<boolean> {
  return (await findOffset(db)) === null;
}

/**
 * Makes new events follow every position that is stored. Positions come from transaction numbers, which start over when
 * a dump is restored in another cluster. Without an offset, readers and webhooks would skip new events until the
 * numbers had caught up, and erasures would wait that long.
 */
export async function alignEventPositions(trx: Knex.Transaction): Promise<void> {
  const offset = await findOffset(trx);
  if (offset === null) return;
  await trx.raw(
    `create or replace function event_offset() returns bigint language sql immutable as 'select ${BigInt(offset)}::bigint'`,
  );
}
