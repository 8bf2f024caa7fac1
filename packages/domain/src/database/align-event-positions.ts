import type { Knex } from 'knex';

/**
 * Makes new events follow the ones that are stored. Positions come from transaction numbers, which start over when a
 * dump is restored in another cluster. Without an offset, readers would not see new events until the numbers had caught
 * up.
 */
export async function alignEventPositions(trx: Knex.Transaction): Promise<void> {
  const { rows } = await trx.raw(`
    select position - event_position() + event_offset() + 1 as offset from events
    where position >= event_position() order by position desc limit 1`);
  const offset: number | undefined = rows[0]?.offset;
  if (offset === undefined) return;
  await trx.raw(
    `create or replace function event_offset() returns bigint language sql immutable as 'select ${BigInt(offset)}::bigint'`,
  );
}
