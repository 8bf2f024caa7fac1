import { failpoint } from '#failpoint';
import type { Db } from '../database/connect.js';
import { isRefusedByPostgres } from '../database/is-refused-by-postgres.js';
import { inPipeline } from '../database/pipeline.js';
import { isUnavailable } from '../is-unavailable.js';
import { claimsOf, type Entry } from './commit-request.js';
import { insertWithinCaps } from './insert-emails-store.js';
import { isCommitted } from './is-committed.js';

/**
 * How long the statement may take until it has locked its counters: on its way, before a Postgres that stands
 * still, behind the locks of others. Later it fails and each entry is judged, as where the clocks of the two
 * machines differ by more. Whoever lost the reply waits as long, and a 503 should come within a second.
 */
const LOCK_WITHIN_MS = 500;
/** By so much Postgres' clock may be behind without harm. */
const CLOCKS_DIFFER_MS = 200;

/**
 * Writes all entries in one round trip, by a statement that is its own transaction and fails as a
 * whole where a cap would be passed or a key is taken.
 * @returns whether they are stored; false: nothing is, each has to be judged
 */
export async function writeAtOnce(db: Db, entries: readonly Entry[]): Promise<boolean> {
  if (repeatsKey(entries)) return false;
  let lockBy: Date | null = null;
  try {
    await inPipeline(db, async (send) => {
      failpoint('before_commit');
      lockBy = new Date(Date.now() + LOCK_WITHIN_MS);
      await insertWithinCaps(send, entries, lockBy);
    });
    return true;
  } catch (error) {
    if (lockBy && !isRefusedByPostgres(error) && (await isStored(db, entries, lockBy))) return true;
    if (isUnavailable(error)) throw error;
    return false;
  }
}

/** The statement may still lie unread before a backend; once it is too late for it to lock, absent is absent. */
async function isStored(db: Db, entries: readonly Entry[], lockBy: Date): Promise<boolean> {
  if (await isCommitted(db, entries)) return true;
  const waitMs = lockBy.getTime() + CLOCKS_DIFFER_MS - Date.now();
  if (waitMs <= 0) return false;
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  return isCommitted(db, entries);
}

/** Of two with one key the second is a replay of the first, which no statement can answer. */
function repeatsKey(entries: readonly Entry[]): boolean {
  const keys = claimsOf(entries).map(({ workspaceId, keyHash }) => `${workspaceId}/${keyHash}`);
  return new Set(keys).size < keys.length;
}
