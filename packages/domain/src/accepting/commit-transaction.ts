import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '@posthorn/domain/errors';
import { limitLockWait, lockUsage } from '@posthorn/domain/workspaces';
import { isRejection, toRejection } from '@posthorn/platform/batching';
import { failpoint } from '@posthorn/platform/failpoints';
import {
  type Db,
  findSqlState,
  inPipeline,
  inPipelinedTransaction,
  isLockTimeout,
  isRefusedByPostgres,
  isUnavailable,
  sqlStates,
} from '@posthorn/platform/postgres';
import { takeFromCaps } from './caps.js';
import {
  type CommitRequest,
  type CommitResult,
  listScopedKeys,
  listWritten,
  toUsageKeys,
  WRITTEN,
} from './commit-request.js';
import { findStoredResponses, type StoredResponse, toScopedKeyText } from './idempotency-store.js';
import { encodeRows, insertEmails, insertWithinCaps, isAnyStored } from './insert-emails-store.js';

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
  const keys = listScopedKeys(requests).map(toScopedKeyText);
  return new Set(keys).size < keys.length;
}

/**
 * Stores every request that may be stored, in two round trips. The first locks the usage rows and reads the keys. Each
 * request is then checked against them, and the second round trip writes the rows and commits. The usage rows are
 * always locked first and in the same order, so no two of these transactions can deadlock, and a workspace has only one
 * of them at a time across all API processes.
 * @param lockTimeoutMs how long to wait for each usage row
 */
export async function commitWithLocks(
  db: Db,
  requests: readonly CommitRequest[],
  lockTimeoutMs: number,
): Promise<CommitResult[]> {
  let results: CommitResult[] = [];
  let isSent = false;
  try {
    await inPipelinedTransaction(db, async ({ send, commit }) => {
      // A statement sees only what was committed before it began, so the responses are read once the rows are locked.
      const [, used, responses] = await Promise.all([
        limitLockWait(send, lockTimeoutMs),
        lockUsage(send, requests.flatMap(toUsageKeys)),
        findStoredResponses(send, listScopedKeys(requests)),
      ]);
      results = requests.map((request) => decide(request, used, responses));
      const accepted = listWritten(requests, results);
      if (accepted.length === 0) {
        if (results.some(hasStoredResponse)) await commit();
        return;
      }
      const rows = await encodeRows(accepted, { withCaps: false });
      failpoint('before_commit');
      isSent = true;
      await Promise.all([insertEmails(send, rows), commit()]);
    });
  } catch (error) {
    if (!isSent || isRefusedByPostgres(error) || !(await isCommitted(db, listWritten(requests, results)))) throw error;
  }
  return results;
}

/** A stored response is a 202, so a synchronous standby must have it. COMMIT waits for the standby. */
function hasStoredResponse(result: CommitResult): boolean {
  return !isRejection(result) && result.storedResponse !== null;
}

/** Requests are decided in the order of arrival, because each accepted one leaves less of the cap for the next. */
function decide(
  request: CommitRequest,
  used: Map<string, number>,
  responses: Map<string, StoredResponse>,
): CommitResult {
  const { workspace, idempotencyKey, response } = request;
  if (idempotencyKey === null) return takeFromCaps(request, used);
  const { keyHash, fingerprint } = idempotencyKey;
  const key = toScopedKeyText({ workspaceId: workspace.id, keyHash });
  const stored = responses.get(key);
  if (stored) {
    const isSame = stored.fingerprint === fingerprint;
    return isSame ? { storedResponse: stored.response } : toRejection(new Refusal('idempotency_key_reused'));
  }
  const result = takeFromCaps(request, used);
  if (result === WRITTEN) responses.set(key, { fingerprint, response });
  return result;
}

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
        const [, exists] = await Promise.all([
          lockUsage(send, requests.flatMap(toUsageKeys)),
          isAnyStored(send, emails),
        ]);
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

/**
 * Whether an error from `insertEmails` means that another transaction used one of the idempotency keys after they were
 * read. That can only happen if the two requests are counted in different months, because such requests do not wait for
 * each other.
 */
export function isKeyTaken(error: unknown): boolean {
  const { table } = error as { table?: unknown };
  return findSqlState(error) === sqlStates.notNullViolation && table === 'idempotency_keys';
}
