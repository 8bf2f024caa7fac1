import { failpoint } from '#failpoint';
import type { Context } from '../context.js';
import type { Db } from '../database/connect.js';
import { flushEachAlone, grouped } from '../grouping.js';
import { isPoolExhausted, isUnavailable } from '../is-unavailable.js';
import type { DeliveryJobs } from '../queue/delivery-jobs.js';
import { commitOptimistically } from './commit-optimistically.js';
import { type CommitOutcome, type CommitRequest, type CommitResult, WRITTEN, writtenOf } from './commit-request.js';
import { commitWithLocks } from './commit-with-locks.js';
import { isKeyTaken } from './insert-emails-store.js';

/** A larger group costs less per email, but keeps other requests for the same usage rows waiting longer. */
const MAX_REQUESTS_PER_GROUP = 50;
/** Characters of html and text. Postgres reads a group of this size within a fraction of the time limit. */
const MAX_CONTENT_CHARACTERS_PER_GROUP = 4_000_000;
/** For fewer requests than this, a second transaction costs more than waiting for the running one. */
const MIN_REQUESTS_BESIDE_RUNNING = 8;
/** After an optimistic commit fails, groups take locks for this long, so that failures do not pile up. */
const LOCKS_FOR_MS = 1_000;

export type CommitEmail = (request: CommitRequest) => Promise<CommitOutcome>;

/**
 * The accept transaction: it stores emails and counts usage, one transaction for all requests that arrived
 * together. It has the final say on caps and idempotency keys. Nearly every group can be stored whole, so that is
 * tried first. If it fails, the requests are checked one by one, under locks.
 * @throws Refusal for a cap, or idempotency_key_reused; rethrows errors of an unavailable Postgres unchanged
 */
export function openGroupCommit(ctx: Pick<Context, 'db'>, deliveryJobs: DeliveryJobs): CommitEmail {
  const commit = openCommit(ctx.db);
  return grouped(
    async (requests: CommitRequest[]) => {
      const results = await commit(requests);
      const queued = writtenOf(requests, results).filter(({ email }) => email.status === 'queued');
      failpoint('after_commit');
      deliveryJobs.announce(queued.map(({ email }) => [email.id, email.workspaceId]));
      failpoint('after_announce');
      return results;
    },
    {
      max: MAX_REQUESTS_PER_GROUP,
      weigh: ({ email }) => (email.html?.length ?? 0) + (email.text?.length ?? 0),
      maxWeight: MAX_CONTENT_CHARACTERS_PER_GROUP,
      inFlight: 2,
      minBesideRunning: MIN_REQUESTS_BESIDE_RUNNING,
      // If a group got no connection, the requests behind it would wait just as long and get none either.
      failsAllWaiting: isPoolExhausted,
    },
  );
}

function openCommit(db: Db): (requests: CommitRequest[]) => Promise<CommitResult[]> {
  let locksUntil = 0;
  return async (requests) => {
    if (performance.now() >= locksUntil) {
      if (await commitOptimistically(db, requests)) return requests.map(() => WRITTEN);
      locksUntil = performance.now() + LOCKS_FOR_MS;
    }
    return commitOrSplit(db, requests);
  };
}

async function commitOrSplit(db: Db, requests: CommitRequest[]): Promise<CommitResult[]> {
  try {
    return await commitWithLocks(db, requests);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    // Another transaction has just used the key, so its response can be replayed now.
    if (isKeyTaken(error)) return commitOrSplit(db, requests);
    return flushEachAlone((alone: CommitRequest[]) => commitOrSplit(db, alone), requests, error);
  }
}
