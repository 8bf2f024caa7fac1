import { Refusal } from '@posthorn/domain/errors';
import { capRefusal, limitLockWait, lockUsage, usageKeyText } from '@posthorn/domain/workspaces';
import { Rejection } from '@posthorn/platform/batching';
import { failpoint } from '@posthorn/platform/failpoints';
import { type Db, inPipelinedTransaction, isRefusedByPostgres } from '@posthorn/platform/postgres';
import {
  type CommitRequest,
  type CommitResult,
  scopedKeysOf,
  sendsOf,
  usageKeysOf,
  WRITTEN,
  writtenOf,
} from './commit-request.js';
import { encodeRows } from './encode-rows.js';
import { scopedKeyText } from './idempotency-key.js';
import { findStoredResponses, type StoredResponse } from './idempotency-store.js';
import { insertEmails } from './insert-emails-store.js';
import { isCommitted } from './is-committed.js';

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
        lockUsage(send, requests.flatMap(usageKeysOf)),
        findStoredResponses(send, scopedKeysOf(requests)),
      ]);
      results = requests.map((request) => decide(request, used, responses));
      const accepted = writtenOf(requests, results);
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
    if (!isSent || isRefusedByPostgres(error) || !(await isCommitted(db, writtenOf(requests, results)))) throw error;
  }
  return results;
}

/** A stored response is a 202, so a synchronous standby must have it. COMMIT waits for the standby. */
function hasStoredResponse(result: CommitResult): boolean {
  return !(result instanceof Rejection) && result.storedResponse !== null;
}

/** Requests are decided in the order of arrival, because each accepted one leaves less of the cap for the next. */
function decide(
  request: CommitRequest,
  used: Map<string, number>,
  responses: Map<string, StoredResponse>,
): CommitResult {
  const { workspace, idempotencyKey, response } = request;
  if (idempotencyKey === null) return take(request, used);
  const { keyHash, fingerprint } = idempotencyKey;
  const key = scopedKeyText({ workspaceId: workspace.id, keyHash });
  const stored = responses.get(key);
  if (stored) {
    const isSame = stored.fingerprint === fingerprint;
    return isSame ? { storedResponse: stored.response } : new Rejection(new Refusal('idempotency_key_reused'));
  }
  const result = take(request, used);
  if (result === WRITTEN) responses.set(key, { fingerprint, response });
  return result;
}

/**
 * Counts all recipients of the request, or refuses it if they would exceed a cap. The monthly cap (402) comes first.
 */
function take(request: CommitRequest, used: Map<string, number>): CommitResult {
  const { workspace, periods, emails } = request;
  const sends = sendsOf(emails);
  const { monthlyCap, daily } = workspace.allowance;
  const [month, day] = usageKeysOf(request).map(usageKeyText) as [string, string];
  const [usedOfMonth, usedOfDay] = [used.get(month) ?? 0, used.get(day) ?? 0];
  const refuse = (cap: 'monthly_cap' | 'daily_cap', usedOfCap: number) =>
    new Rejection(capRefusal(cap, { workspace, periods, sends }, usedOfCap));
  if (monthlyCap !== null && usedOfMonth + sends > monthlyCap) return refuse('monthly_cap', usedOfMonth);
  if (daily !== null && usedOfDay + sends > daily) return refuse('daily_cap', usedOfDay);
  used.set(month, usedOfMonth + sends);
  used.set(day, usedOfDay + sends);
  return WRITTEN;
}
