import type { Knex } from 'knex';

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
