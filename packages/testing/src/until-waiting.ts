import type { Db } from '@posthorn/platform/postgres';
import { until } from './until.js';

/**
 * Waits until Postgres reports that a statement in the test's own database is waiting. Tests run side by side on one
 * server, so activity in other databases must not count.
 * @param event a wait event, or a type of wait event (table 27.4 in the PostgreSQL 18 manual)
 */
export async function untilWaiting(db: Db, event: 'Lock' | 'PgSleep'): Promise<void> {
  const waiting = db('pg_stat_activity')
    .whereRaw('datname = current_database()')
    .where((either) => either.where({ wait_event_type: event }).orWhere({ wait_event: event }));
  await until(async () => (await waiting.clone()).length > 0);
}
