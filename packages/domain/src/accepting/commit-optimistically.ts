import { setTimeout as sleep } from 'node:timers/promises';
import { failpoint } from '@posthorn/platform/failpoints';
import { type Db, inPipeline, isRefusedByPostgres, isUnavailable } from '@posthorn/platform/postgres';
import { type CommitRequest, scopedKeysOf } from './commit-request.js';
import { encodeRows } from './encode-rows.js';
import { scopedKeyText } from './idempotency-key.js';
import { insertWithinCaps } from './insert-emails-store.js';
import { isCommitted } from './is-committed.js';

/**
 * The statement fails unless it locks its usage rows within this time. A process that loses the reply must wait this
 * long before it knows that nothing was stored, and the client should get a 503 within a second. If Postgres' clock is
 * ahead of ours by more than this, every group falls back to locks.
 */
const LOCK_WITHIN_MS = 500;
/** Postgres' clock may be behind ours by up to this much without causing harm. */
const MAX_CLOCK_DIFFERENCE_MS = 200;

/**
 * Writes all requests in one round trip, with a statement that is its own transaction. It fails as a whole if a cap
 * would be exceeded or a key is taken.
 * @returns true if all requests were stored, or false if none was
 */
export async function commitOptimistically(db: Db, requests: readonly CommitRequest[]): Promise<boolean> {
  if (repeatsKey(requests)) return false;
  const rows = await encodeRows(requests, { withCaps: true });
  let lockBy: Date | null = null;
  try {
    await inPipeline(db, async (send) => {
      failpoint('before_commit');
      lockBy = new Date(Date.now() + LOCK_WITHIN_MS);
      await insertWithinCaps(send, rows, { lockBy, lockTimeoutMs: LOCK_WITHIN_MS });
    });
    return true;
  } catch (error) {
    if (lockBy && !isRefusedByPostgres(error) && (await isStored(db, requests, lockBy))) return true;
    if (isUnavailable(error)) throw error;
    return false;
  }
}

/**
 * Right after an error, Postgres may not have read the statement yet. If the emails are still missing once the time
 * limit for the locks has passed, they will not be stored.
 */
async function isStored(db: Db, requests: readonly CommitRequest[], lockBy: Date): Promise<boolean> {
  if (await isCommitted(db, requests)) return true;
  const waitMs = lockBy.getTime() + MAX_CLOCK_DIFFERENCE_MS - Date.now();
  if (waitMs <= 0) return false;
  await sleep(waitMs);
  return isCommitted(db, requests);
}

/**
 * Whether two requests have the same key. The second must get the response to the first, which a single statement
 * cannot do.
 */
function repeatsKey(requests: readonly CommitRequest[]): boolean {
  const keys = scopedKeysOf(requests).map(scopedKeyText);
  return new Set(keys).size < keys.length;
}
