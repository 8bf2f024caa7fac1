import type { Context } from '@posthorn/domain';

type Database = Pick<Context, 'db'>;

/** How many attempts have ended. */
export async function countOutcomes({ db }: Database): Promise<number> {
  const { rows } = await db.raw('select count(ended_at) as ended from delivery_attempts');
  return rows[0].ended;
}

/** Outcomes in each of the seconds from one time on that are over at the other, those without any included. */
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

/** Milliseconds from acceptance to the recorded outcome; null while it has none. */
export async function deliveryMs({ db }: Database, id: string): Promise<number | null> {
  const { rows } = await db.raw(
    `select extract(epoch from ended_at - created_at) * 1000 as ms from delivery_attempts
     join emails on emails.id = delivery_attempts.email_id where emails.id = ? and ended_at is not null`,
    [id],
  );
  return rows.length > 0 ? Number(rows[0].ms) : null;
}
