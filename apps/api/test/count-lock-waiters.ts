import type { TestApi } from './open-test-api.js';

/** How many connections to this test's database are waiting for a lock. */
export async function countLockWaiters({ ctx }: Pick<TestApi, 'ctx'>): Promise<number> {
  const { rows } = await ctx.db.raw(
    "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
  );
  return rows[0].count;
}
