import type { Context } from '@posthorn/platform';

type Database = Pick<Context, 'db'>;

/** Counts the attempts that have ended. */
export async function countOutcomes({ db }: Database): Promise<number> {
  const { rows } = await db.raw('select count(ended_at) as ended from delivery_attempts');
  return rows[0].ended;
}

/** Counts outcomes in each full second between two times, including seconds without any. */
export async function outcomesBySecond({ db }: Database, from: Date, to: Date): Promise<number[]> {
  const { rows } = await db.raw(
    `with ended as (
       select floor(extract(epoch from ended_at - :from::timestamptz))::int as second, count(*) as outcomes
       from delivery_attempts group by 1
     )
     select coalesce(outcomes, 0) as outcomes
     from generate_series(0, floor(extract(epoch from :to::timestamptz - :from::timestamptz))::int - 1) as second
     left join ended using (second) order by second`,
    { from, to },
  );
  return rows.map((row: { outcomes: number }) => row.outcomes);
}

/** Milliseconds from acceptance to the recorded outcome; null if there is none yet. */
export async function deliveryMs({ db }: Database, id: string): Promise<number | null> {
  const { rows } = await db.raw(
    `select extract(epoch from ended_at - created_at) * 1000 as ms from delivery_attempts
     join emails on emails.workspace_id = delivery_attempts.workspace_id and emails.id = email_id
     where email_id = ? and ended_at is not null`,
    [id],
  );
  return rows.length > 0 ? Number(rows[0].ms) : null;
}

/** Emails per second from the first claim to the last outcome, for attempts that began after `since`. */
export async function deliveryRate({ db }: Database, since: Date): Promise<number> {
  const { rows } = await db.raw(
    `select count(*) / extract(epoch from max(ended_at) - min(started_at)) as rate,
       count(*) filter (where outcome is distinct from 'sent') as others
     from delivery_attempts where started_at >= ?`,
    [since],
  );
  if (Number(rows[0].others) > 0) throw new Error(`${rows[0].others} emails were not sent at the first attempt`);
  return Number(rows[0].rate);
}

/**
 * Whether all emails have reached a final state. Each part of the query is ordered like an index. Otherwise, Postgres
 * would scan the table, which would cost as much as the drain that is being measured.
 */
export async function isDrained({ db }: Database): Promise<boolean> {
  const { rows } = await db.raw(`
    (
      select email_id from deliveries where is_due and lease_until is null
      order by workspace_id, priority, due_at limit 1
    )
    union all (select email_id from deliveries where lease_until is not null order by lease_until limit 1)
    union all (
      select email_id from deliveries where not is_due
      order by date_bin('10 seconds', due_at, 'epoch'), workspace_id, due_at limit 1
    )`);
  return rows.length === 0;
}
