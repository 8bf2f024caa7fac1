import { type Db, inPipeline, inPipelinedTransaction, type Statement } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';
import type { Relay } from './relay.js';

type Warming = Pick<Relay, 'id'> & { readonly warmUp: readonly number[] };

/**
 * Counts recipients that a relay is about to try today. Its first, second, ... UTC day with mail has the first, second,
 * ... limit; a day without mail does not count.
 * @returns how many of them it may try. null if the warm-up is over, so that there is no limit
 */
export async function takeWarmUp(db: Db, { id, warmUp }: Warming, recipients: number): Promise<number | null> {
  return inPipelinedTransaction(db, async ({ send, commit }) => {
    const locked = [send(MAKE, [id]), send(LOCK, [id])];
    const taken = send<{ taken: number | null }>(TAKE, [id, warmUp, recipients]);
    await Promise.all([...locked, taken, commit()]);
    const [row] = await taken;
    return row?.taken ?? null;
  });
}

/** @property day counts from 1. @property recipients how many were tried today */
export type WarmUpDay = { readonly day: number; readonly recipients: number };

/** Which day of its warm-up a relay has today. */
export async function readWarmUpDay(db: Knex, relayId: string): Promise<WarmUpDay> {
  const { rows } = await db.raw(
    `select count(*) filter (where day < ${TODAY})::int + 1 as day,
       coalesce(sum(recipients) filter (where day = ${TODAY}), 0)::int as recipients
     from relay_days where relay_id = ? and recipients > 0`,
    [relayId],
  );
  return rows[0];
}

/** Takes back the count of recipients that were not tried. */
export async function returnWarmUp(db: Db, { id }: Pick<Relay, 'id'>, recipients: number): Promise<void> {
  await inPipeline(db, (send) => send(RETURN, [id, recipients]));
}

const TODAY = "(now() at time zone 'utc')::date";

const MAKE: Statement = {
  name: 'make_relay_day',
  text: `insert into relay_days (relay_id, day, recipients) values ($1::uuid, ${TODAY}, 0) on conflict do nothing`,
};

/** Two workers must not take the same part of the limit. */
const LOCK: Statement = {
  name: 'lock_relay_day',
  text: `select from relay_days where relay_id = $1::uuid and day = ${TODAY} for update`,
};

const TAKE: Statement = {
  name: 'take_warm_up',
  text: `
    with room as (
      select greatest(0, least($3::int, ($2::int[])[earlier.days + 1] - recipients)) as taken
      from relay_days, (
        select count(*)::int as days from relay_days where relay_id = $1::uuid and day < ${TODAY} and recipients > 0
      ) as earlier
      where relay_id = $1::uuid and day = ${TODAY} and earlier.days < array_length($2::int[], 1)
    ),
    counted as (
      update relay_days set recipients = recipients + taken from room where relay_id = $1::uuid and day = ${TODAY}
    )
    select taken from room`,
};

const RETURN: Statement = {
  name: 'return_warm_up',
  text: `
    update relay_days set recipients = greatest(0, recipients - $2::int)
    where relay_id = $1::uuid and day = ${TODAY}`,
};
