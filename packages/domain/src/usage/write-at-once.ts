import { failpoint } from '#failpoint';
import type { Db } from '../database/connect.js';
import { isRefusedByPostgres } from '../database/is-refused.js';
import { inPipeline } from '../database/pipeline.js';
import { insertWithinCaps } from '../emails/insert-store.js';
import { isUnavailable } from '../unavailable.js';
import { claimsOf, type Entry } from './entry.js';
import { isCommitted } from './is-committed.js';

/**
 * Writes all entries in one round trip, by a statement that is its own transaction and fails as a
 * whole where a cap would be passed or a key is taken.
 * @returns whether they are stored; false: nothing is, each has to be judged
 */
export async function writeAtOnce(db: Db, entries: readonly Entry[]): Promise<boolean> {
  if (repeatsKey(entries)) return false;
  let isSent = false;
  try {
    await inPipeline(db, async (send) => {
      failpoint('before_commit');
      isSent = true;
      await insertWithinCaps(send, entries);
    });
    return true;
  } catch (error) {
    if (isSent && !isRefusedByPostgres(error) && (await isCommitted(db, entries))) return true;
    if (isUnavailable(error)) throw error;
    return false;
  }
}

/** Of two with one key the second is a replay of the first, which no statement can answer. */
function repeatsKey(entries: readonly Entry[]): boolean {
  const keys = claimsOf(entries).map(({ workspaceId, keyHash }) => `${workspaceId}/${keyHash}`);
  return new Set(keys).size < keys.length;
}
