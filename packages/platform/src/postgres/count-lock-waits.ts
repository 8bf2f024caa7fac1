import type { Db } from './connect.js';

/** How many sessions in our database wait for a lock now. Without pg_read_all_stats, only those of our user count. */
export async function countLockWaits(db: Db): Promise<number> {
  const { rows } = await db.raw(
    `select count(*) as waiting from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0].waiting;
}
