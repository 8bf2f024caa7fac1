import type { Db } from './connect.js';

/** The time on Postgres' clock, which all processes share. */
export async function databaseTime(db: Db): Promise<Date> {
  const { rows } = await db.raw('select now() as now');
  return rows[0].now;
}
