import type { Db } from './connect.js';

/** How many sessions of our database user wait for a lock at the moment. Postgres hides those of other users. */
export async function countLockWaits(db: Db): Promise<number> {
  const { rows } = await db.raw(
    `select count(*) as waiting from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0].waiting;
}
