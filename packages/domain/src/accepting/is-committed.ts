import { setTimeout as sleep } from 'node:timers/promises';
import { lockUsage } from '@posthorn/domain/workspaces';
import { type Db, inPipelinedTransaction, isLockTimeout } from '@posthorn/platform/postgres';
import { type CommitRequest, usageKeysOf } from './commit-request.js';
import { anyExists } from './insert-emails-store.js';

const MAX_TRIES = 3;
const RETRY_MS = 300;
/** The client has already waited for the lost reply, and must get a response within ten seconds. */
const GIVE_UP_MS = 1_500;

/**
 * Used when the reply to a COMMIT was lost: finds out whether its requests were stored. A transaction stores all of its
 * rows or none, so finding one of them is enough. The usage rows are locked first, because that lock waits for a
 * backend that is still committing.
 *
 * If the primary crashed or the wait for a standby was canceled, rows can be visible before any synchronous standby has
 * them. The locks are written to the log after these rows, so committing the locks waits until the standby has both.
 */
export async function isCommitted(db: Db, requests: readonly CommitRequest[]): Promise<boolean> {
  const emails = requests.flatMap((request) => request.emails);
  const giveUpAt = performance.now() + GIVE_UP_MS;
  for (let tries = 1; ; tries += 1) {
    try {
      return await inPipelinedTransaction(db, async ({ send, commit }) => {
        const [, exists] = await Promise.all([lockUsage(send, requests.flatMap(usageKeysOf)), anyExists(send, emails)]);
        if (exists) await commit();
        return exists;
      });
    } catch (error) {
      if (tries === MAX_TRIES || performance.now() > giveUpAt)
        throw isLockTimeout(error) ? stillCommitting(error) : error;
      await sleep(RETRY_MS);
    }
  }
}

/** Requests may be retried after a lock timeout. This one must not be retried, because it may still get stored. */
function stillCommitting(error: unknown): Error {
  return new Error('Connection terminated: the reply to a COMMIT was lost, and its locks are still held', {
    cause: error,
  });
}
