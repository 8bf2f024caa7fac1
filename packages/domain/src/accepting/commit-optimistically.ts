import { setTimeout as sleep } from 'node:timers/promises';
import { failpoint } from '#failpoint';
import type { Db } from '../database/connect.js';
import { isRefusedByPostgres } from '../database/is-refused-by-postgres.js';
import { inPipeline } from '../database/pipeline.js';
import { isUnavailable } from '../is-unavailable.js';
import { type CommitRequest, scopedKeysOf } from './commit-request.js';
import { scopedKeyText } from './idempotency-key.js';
import { encodeRows, insertWithinCaps } from './insert-emails-store.js';
import { isCommitted } from './is-committed.js';

/**
 * The statement fails unless it locks its usage rows within this time. A process that lost the reply must wait this
 * long to know that nothing was stored, and a 503 should come within a second. If our clock and Postgres' clock differ
 * by more than this, every group falls back to locks.
 */
const LOCK_WITHIN_MS = 500;
/** Postgres' clock may lag ours by this much without harm. */
const MAX_CLOCK_DIFFERENCE_MS = 200;

/**
 * Writes all requests in one round trip, with a statement that is its own transaction. It fails as a whole
 * when a cap would be exceeded or a key is taken.
 * @returns whether the requests are stored; if not, nothing is stored
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
 * Postgres may not have read the statement yet. If an email is still missing after the time limit for its locks, it was
 * not stored.
 */
async function isStored(db: Db, requests: readonly CommitRequest[], lockBy: Date): Promise<boolean> {
  if (await isCommitted(db, requests)) return true;
  const waitMs = lockBy.getTime() + MAX_CLOCK_DIFFERENCE_MS - Date.now();
  if (waitMs <= 0) return false;
  await sleep(waitMs);
  return isCommitted(db, requests);
}

/** A second request with the same key gets the first one's response, and a single statement cannot do that. */
function repeatsKey(requests: readonly CommitRequest[]): boolean {
  const keys = scopedKeysOf(requests).map(scopedKeyText);
  return new Set(keys).size < keys.length;
}
