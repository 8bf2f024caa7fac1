import type { StoredWait } from '@posthorn/domain/emails';
import { type Db, inPipeline, type Statement } from '@posthorn/platform/postgres';
import { SEND_BEFORE } from './claim-store.js';
import type { ClaimedEmail } from './claimed-email-store.js';

export type Wait = Pick<ClaimedEmail, 'id' | 'attempt'> & { readonly waitsFor: StoredWait };

/** Ends claims whose emails have to wait. There was no attempt, so none is recorded. */
export async function holdBack(db: Db, waits: readonly Wait[]): Promise<void> {
  const ids = waits.map(({ id }) => id);
  const values = [ids, waits.map(({ attempt }) => attempt), waits.map(({ waitsFor }) => waitsFor)];
  await inPipeline(db, (send) => send(HOLD_BACK, values));
}

/** Locks deliveries in id order, like recordOutcomes, so that two statements with the same emails cannot deadlock. */
const HOLD_BACK: Statement = {
  name: 'hold_back',
  text: `
    with held as (
      select * from unnest($1::uuid[], $2::int[], $3::text[]) as held (id, attempt, waits_for)
    ),
    locked as materialized (
      select email_id, attempt, lease_until from deliveries
      where email_id = any((select $1::uuid[])::uuid[]) order by email_id for update
    )
    update deliveries set lease_until = null, claimed_at = null, waits_for = held.waits_for, send_before = ${SEND_BEFORE}
    from held join locked on locked.email_id = held.id and locked.attempt = held.attempt and locked.lease_until is not null
    where deliveries.email_id = held.id
    returning 1`,
};

/** What emails wait for, each once. Skips through the index, with one lookup for each. */
export const WAITS = `
  waits as (
    (
      select waits_for from deliveries where is_due and lease_until is null and waits_for is not null
      order by waits_for limit 1
    )
    union all
    select following.waits_for from waits, lateral (
      select waits_for from deliveries
      where is_due and lease_until is null and waits_for is not null and deliveries.waits_for > waits.waits_for
      order by waits_for limit 1
    ) as following
  )`;

/** More are looked at in a later round. */
const MAX_LISTED = 1_000;

export async function listWaits(db: Db): Promise<StoredWait[]> {
  const rows = await inPipeline(db, (send) => send<{ waits_for: StoredWait }>(LIST, []));
  return rows.map((row) => row.waits_for);
}

const LIST: Statement = {
  name: 'list_waits',
  text: `
    with recursive ${WAITS}
    select waits_for from waits limit ${MAX_LISTED}`,
};

/** Lets workers claim emails again that wait for this, because relays or routes have changed. */
export async function releaseWaiting(db: Db, waitsFor: StoredWait, limit: number): Promise<void> {
  await inPipeline(db, (send) => send(RELEASE, [waitsFor, limit]));
}

const RELEASE: Statement = {
  name: 'release_waiting',
  text: `
    with waiting as (
      select email_id from deliveries where is_due and lease_until is null and waits_for = $1::text
      order by workspace_id, priority, due_at limit $2::int for update skip locked
    )
    update deliveries set waits_for = null where email_id = any(array(select email_id from waiting)) returning 1`,
};
