import { setTimeout as sleep } from 'node:timers/promises';
import { isLockTimeout } from '../is-unavailable.js';
import { sqlStateOf, sqlStates } from '../sql-states.js';

const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

/**
 * A migration that has to wait, because another transaction holds a lock that it needs; null if another process is
 * migrating.
 */
export type LockWait = { readonly migration: string | null; readonly tries: number; readonly pauseMs: number };

export type OnLockWait = (wait: LockWait) => void;

/**
 * Repeats a step that could not get a lock, for as long as it takes. The pauses grow, because other statements queue
 * behind every try. Half of each pause is random, so that the tries do not always meet the same periodic lock.
 */
export async function retryOnLocks<Result>(
  migration: string,
  onWait: OnLockWait,
  step: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await step();
    } catch (error) {
      if (!isLocked(error)) throw error;
    }
    const longest = Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** tries);
    const pauseMs = Math.round((longest * (1 + Math.random())) / 2);
    onWait({ migration, tries, pauseMs });
    await sleep(pauseMs);
  }
}

function isLocked(error: unknown): boolean {
  return isLockTimeout(error) || sqlStateOf(error) === sqlStates.deadlockDetected;
}
