import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../database/connect.js';
import { inPipelinedTransaction } from '../database/pipeline.js';
import { lockUsage } from '../usage/usage-store.js';
import { type CommitRequest, usageKeysOf } from './commit-request.js';
import { anyExists } from './insert-emails-store.js';

const MAX_TRIES = 3;
const RETRY_MS = 300;

/**
 * Whether these requests were stored, after the reply to their COMMIT was lost. A transaction stores all of its
 * rows or none, so finding one of them is enough. It locks the usage rows first, because the lock waits for a
 * backend that is still committing.
 */
export async function isCommitted(db: Db, requests: readonly CommitRequest[]): Promise<boolean> {
  const emails = requests.map(({ email }) => email);
  for (let tries = 1; ; tries += 1) {
    try {
      return await inPipelinedTransaction(db, async ({ send }) => {
        const [, exists] = await Promise.all([lockUsage(send, requests.flatMap(usageKeysOf)), anyExists(send, emails)]);
        return exists;
      });
    } catch (error) {
      if (tries === MAX_TRIES) throw error;
      await sleep(RETRY_MS);
    }
  }
}
