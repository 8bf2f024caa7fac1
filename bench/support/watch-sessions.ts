import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@posthorn/domain';

const EVERY_MS = 5;

/** The average number of sessions by what they were doing: `at work`, or the wait event of Postgres. */
export type Sessions = ReadonlyMap<string, number>;

/** Samples what the sessions with an active statement are doing until `work` is done. */
export async function watchSessions<T>({ db }: Context, work: Promise<T>): Promise<{ result: T; sessions: Sessions }> {
  const seen = new Map<string, number>();
  let [samples, isOver] = [0, false];
  const result = work.finally(() => {
    isOver = true;
  });
  for (; !isOver; samples += 1) {
    const { rows } = await db.raw(`
      select coalesce(wait_event_type || ' ' || wait_event, 'at work') as at, count(*)::int as sessions
      from pg_stat_activity
      where state = 'active' and pid <> pg_backend_pid() and backend_type = 'client backend' group by 1`);
    for (const { at, sessions } of rows) seen.set(at, (seen.get(at) ?? 0) + sessions);
    await sleep(EVERY_MS);
  }
  const sessions = new Map([...seen].map(([at, count]) => [at, count / samples]));
  return { result: await result, sessions };
}
