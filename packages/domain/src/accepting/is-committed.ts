import type { Db } from '../database/connect.js';
import { inPipelinedTransaction } from '../database/pipeline.js';
import { lockUsage } from '../usage/usage-store.js';
import { countersOf, type Entry } from './commit-request.js';
import { anyExists } from './insert-emails-store.js';

const LOOK_UPS = 3;
const LOOK_UP_PAUSE_MS = 300;

/**
 * The reply to a COMMIT got lost: whether these entries, which it was to store, are there. A
 * transaction is whole or absent, so any one of its rows tells. Taking its locks first waits for a
 * backend that may still be committing.
 */
export async function isCommitted(db: Db, entries: readonly Entry[]): Promise<boolean> {
  const ids = entries.map(({ email }) => email.id);
  for (let tries = 1; ; tries += 1) {
    try {
      return await inPipelinedTransaction(db, async ({ send }) => {
        const [, exists] = await Promise.all([lockUsage(send, entries.flatMap(countersOf)), anyExists(send, ids)]);
        return exists;
      });
    } catch (error) {
      if (tries === LOOK_UPS) throw error;
      await new Promise((resolve) => setTimeout(resolve, LOOK_UP_PAUSE_MS));
    }
  }
}
