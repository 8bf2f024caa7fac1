import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@posthorn/platform';
import { isUnavailable, PoolerError } from '@posthorn/platform/postgres';

/** How long a starting process waits between two tries. */
export const RETRY_MS = 1_000;

/**
 * Repeats the work while Postgres is unavailable, because a process may start before its database does. It logs the wait
 * only once.
 * @throws PoolerError if a connection pooler is in the way that cannot be used; every other error
 */
export async function whenReachable<T>({ log }: Pick<Context, 'log'>, work: () => Promise<T>): Promise<T> {
  for (let announced = false; ; announced = true) {
    try {
      return await work();
    } catch (error) {
      if (!mayBecomeReachable(error)) throw error;
      if (!announced) log.warn({ error }, 'waiting_for_database');
      await sleep(RETRY_MS);
    }
  }
}

/** Whether waiting for Postgres may help after this error. */
export function mayBecomeReachable(error: unknown): boolean {
  return isUnavailable(error) && !(error instanceof PoolerError);
}
