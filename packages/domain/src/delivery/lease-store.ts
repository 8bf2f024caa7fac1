import { type Db, inPipeline, type Statement } from '@posthorn/platform/postgres';
import type { Knex } from 'knex';
import { type ClaimedEmail, needs } from './claimed-email.js';

/** @returns the ids of the emails whose lease is still ours; the other emails have been claimed by another worker */
export async function extendLeases(
  db: Knex,
  held: ReadonlyArray<{ id: string; attempt: number }>,
  leaseSeconds: number,
): Promise<Set<string>> {
  const { rows } = await db.raw(EXTEND, {
    ids: held.map(({ id }) => id),
    attempts: held.map(({ attempt }) => attempt),
    lease: leaseSeconds,
  });
  return new Set(rows.map((row: { id: string }) => row.id));
}

/** Locks deliveries in id order, like recordOutcomes, so that two statements with the same emails cannot deadlock. */
const EXTEND = `
  with held as (
    select * from unnest(:ids::uuid[], :attempts::int[]) as held (id, attempt)
  ),
  locked as materialized (
    select email_id, attempt, lease_until from deliveries where email_id = any(:ids::uuid[]) order by email_id for update
  )
  update deliveries set lease_until = now() + :lease::int * interval '1 second'
  from held join locked on locked.email_id = held.id and locked.attempt = held.attempt and locked.lease_until is not null
  where deliveries.email_id = held.id
  returning deliveries.email_id as id`;

/**
 * The handoff intent itself, which is also a bit of `deliveries.needs`. It belongs to the attempt that holds the email:
 * the next claim or the outcome clears it.
 */
export const HANDOFF_INTENT = 32;

/** What this version understands. */
const UNDERSTOOD = Object.values(needs).reduce((all, bit) => all | bit, HANDOFF_INTENT);

/** SQL: whether this version understands a row of `deliveries`. */
export const IS_UNDERSTOOD = `needs & ~${UNDERSTOOD} = 0`;

/** SQL: whether the attempt that holds the email should have written a handoff intent but has not. */
export const IS_UNSENT = `needs & ${needs.handoffIntent | HANDOFF_INTENT} = ${needs.handoffIntent}`;

/** SQL: the value of `needs` without the handoff intent. */
export const NEEDS_WITHOUT_INTENT = `needs & ~${HANDOFF_INTENT}`;

/**
 * Records in Postgres that the end of the message is about to be sent, and extends the lease. A worker that claims the
 * email later without finding this intent knows that no mail server has the message. The intent is in the row that a
 * claim locks and updates, so a claim either sees it or comes first and makes this return false.
 * @returns false if another worker has claimed the email since. The end of the message must then not be sent
 * @throws Error if the intent might not be in Postgres
 */
export async function writeHandoffIntent(
  db: Db,
  { id, attempt }: Pick<ClaimedEmail, 'id' | 'attempt'>,
  leaseSeconds: number,
): Promise<boolean> {
  const rows = await inPipeline(db, (send) => send(BEGIN_HANDOFF, [id, attempt, leaseSeconds]));
  return rows.length === 1;
}

const BEGIN_HANDOFF: Statement = {
  name: 'begin_handoff',
  text: `
    update deliveries set needs = needs | ${HANDOFF_INTENT}, lease_until = now() + $3::int * interval '1 second'
    where email_id = $1::uuid and attempt = $2::int and lease_until is not null
    returning 1`,
};
