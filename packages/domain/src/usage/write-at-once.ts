import { failpoint } from '#failpoint';
import type { Db } from '../database/connect.js';
import { isRefusedByPostgres } from '../database/is-refused.js';
import { inPipeline } from '../database/pipeline.js';
import { insertWithinCaps } from '../emails/insert-store.js';
import { isUnavailable } from '../unavailable.js';
import { claimsOf, type Entry } from './entry.js';
import { isCommitted } from './is-committed.js';

/**
 * How long the statement may wait to be begun, by a Postgres that stands still or a line that is slow. Where
 * the clocks of the two machines differ by more, it fails and each entry is judged. Whoever lost the reply
 * waits as long, so that with the pause below a 503 still comes within a second.
 */
const START_WITHIN_MS = 500;
/** What a statement takes from its beginning to its first lock, which those who look for its rows wait for. */
const UNTIL_LOCKED_MS = 200;

/**
 * Writes all entries in one round trip, by a statement that is its own transaction and fails as a
 * whole where a cap would be passed or a key is taken.
 * @returns whether they are stored; false: nothing is, each has to be judged
 */
export async function writeAtOnce(db: Db, entries: readonly Entry[]): Promise<boolean> {
  if (repeatsKey(entries)) return false;
  let startBy: Date | null = null;
  try {
    await inPipeline(db, async (send) => {
      failpoint('before_commit');
      startBy = new Date(Date.now() + START_WITHIN_MS);
      await insertWithinCaps(send, entries, startBy);
    });
    return true;
  } catch (error) {
    if (startBy && !isRefusedByPostgres(error) && (await isStored(db, entries, startBy))) return true;
    if (isUnavailable(error)) throw error;
    return false;
  }
}

/** The statement may still lie unread before a backend; once it is too late for it to begin, absent is absent. */
async function isStored(db: Db, entries: readonly Entry[], startBy: Date): Promise<boolean> {
  if (await isCommitted(db, entries)) return true;
  const waitMs = startBy.getTime() + UNTIL_LOCKED_MS - Date.now();
  if (waitMs <= 0) return false;
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  return isCommitted(db, entries);
}

/** Of two with one key the second is a replay of the first, which no statement can answer. */
function repeatsKey(entries: readonly Entry[]): boolean {
  const keys = claimsOf(entries).map(({ workspaceId, keyHash }) => `${workspaceId}/${keyHash}`);
  return new Set(keys).size < keys.length;
}
