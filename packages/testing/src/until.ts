import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '@posthorn/platform/postgres';

const POLL_MS = 20;
/** Shorter than the time limit of a test (jest.config.ts), so that the error says what did not happen. */
const MAX_MS = 110_000;
const MAX_LISTED_MS = 10_000;

export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

type Look<Found> = () => Found | Promise<Found>;

/** Waits until a condition holds. If it never does, the test's own time limit ends the wait. */
export async function until(holds: Look<boolean>): Promise<void>;
/**
 * Waits until `look` finds something. If it throws, for example because a server is down, it has found nothing.
 * @param what what is waited for, as it continues "waiting until"
 * @throws TimeLimitError that names `what`. Its cause is the last error
 */
export async function until<Found>(
  what: string,
  look: Look<Found>,
  ms?: number,
): Promise<Exclude<Found, undefined | false>>;
export async function until(first: string | Look<unknown>, second?: Look<unknown>, ms = MAX_MS): Promise<unknown> {
  if (typeof first !== 'string') {
    while (!(await first())) await sleep(POLL_MS);
    return;
  }
  let cause: unknown;
  for (const deadline = Date.now() + ms; Date.now() < deadline; await sleep(POLL_MS)) {
    try {
      const found = await second?.();
      if (found !== undefined && found !== false) return found;
    } catch (error) {
      cause = error;
    }
  }
  throw new TimeLimitError(`Gave up after ${ms / 1_000} s of waiting until ${first}`, { cause });
}

/**
 * Waits until nothing is found any more, because what was just closed may still be listed.
 * @returns what is still found after ten seconds
 */
export async function untilNone(find: () => readonly string[] | Promise<readonly string[]>): Promise<string[]> {
  const deadline = Date.now() + MAX_LISTED_MS;
  for (;;) {
    const found = await find();
    if (found.length === 0 || Date.now() > deadline) return [...found];
    await sleep(POLL_MS);
  }
}

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
