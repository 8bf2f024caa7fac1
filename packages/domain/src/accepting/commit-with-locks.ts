import { failpoint } from '#failpoint';
import type { Db } from '../database/connect.js';
import { isRefusedByPostgres } from '../database/is-refused-by-postgres.js';
import { inPipelinedTransaction } from '../database/pipeline.js';
import { Refusal } from '../errors.js';
import { Rejection } from '../grouping.js';
import { capRefusal } from '../usage/cap-refusal.js';
import { lockUsage, usageKeyText } from '../usage/usage-store.js';
import { type Verdict, WRITTEN, writtenOf } from '../usage/verdict.js';
import { claimsOf, countersOf, type Entry } from './commit-request.js';
import { findAnswers, type StoredAnswer } from './idempotency-store.js';
import { insertEmails } from './insert-emails-store.js';
import { isCommitted } from './is-committed.js';

/**
 * Writes what may be written in two round trips: counters are locked and keys read, each entry is
 * judged by them, then rows and COMMIT follow. The usage rows are locked first and in one order, so
 * for one workspace there is one such transaction at a time on all API processes, and no two can deadlock.
 */
export async function writeJudged(db: Db, entries: readonly Entry[]): Promise<Verdict[]> {
  let verdicts: Verdict[] = [];
  let isSent = false;
  try {
    await inPipelinedTransaction(db, async ({ send, commit }) => {
      // Each sees what is committed when it begins: the answers are read with the locks in hand.
      const [used, answers] = await Promise.all([
        lockUsage(send, entries.flatMap(countersOf)),
        findAnswers(send, claimsOf(entries)),
      ]);
      verdicts = entries.map((entry) => judge(entry, used, answers));
      const accepted = writtenOf(entries, verdicts);
      if (accepted.length === 0) return;
      failpoint('before_commit');
      isSent = true;
      await Promise.all([insertEmails(send, accepted), commit()]);
    });
  } catch (error) {
    if (!isSent || isRefusedByPostgres(error) || !(await isCommitted(db, writtenOf(entries, verdicts)))) throw error;
  }
  return verdicts;
}

/** The entries are judged in the order they came: what one takes is gone for the next. */
function judge(entry: Entry, used: Map<string, number>, answers: Map<string, StoredAnswer>): Verdict {
  const { workspace, claim, answer } = entry;
  const claimed = claim && { key: `${workspace.id}/${claim.keyHash}`, fingerprint: claim.fingerprint };
  const known = claimed && answers.get(claimed.key);
  if (known) {
    const isSame = known.fingerprint === claimed.fingerprint;
    return isSame ? { replay: known.answer } : new Rejection(new Refusal('idempotency_key_reused'));
  }
  const refusal = take(entry, used);
  if (refusal) return new Rejection(refusal);
  if (claimed) answers.set(claimed.key, { fingerprint: claimed.fingerprint, answer });
  return WRITTEN;
}

/** Counts the entry's recipients, or says which cap they would pass; the month's 402 comes first. */
function take(entry: Entry, used: Map<string, number>): Refusal | null {
  const { workspace, periods, email } = entry;
  const sends = email.recipients.length;
  const { monthlyCap, daily } = workspace.allowance;
  const [month, day] = countersOf(entry).map(usageKeyText) as [string, string];
  const [usedOfMonth, usedOfDay] = [used.get(month) ?? 0, used.get(day) ?? 0];
  const asked = { workspace, periods, sends };
  if (monthlyCap !== null && usedOfMonth + sends > monthlyCap) return capRefusal('monthly_cap', asked, usedOfMonth);
  if (daily !== null && usedOfDay + sends > daily) return capRefusal('daily_cap', asked, usedOfDay);
  used.set(month, usedOfMonth + sends);
  used.set(day, usedOfDay + sends);
  return null;
}
