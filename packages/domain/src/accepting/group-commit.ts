import { failpoint } from '#failpoint';
import type { Context } from '../context.js';
import type { Db } from '../database/connect.js';
import { flushEachAlone, grouped } from '../grouping.js';
import { isPoolExhausted, isUnavailable } from '../is-unavailable.js';
import type { Bell } from '../queue/delivery-jobs.js';
import { type Verdict, WRITTEN, type Written, writtenOf } from '../usage/verdict.js';
import { writeAtOnce } from './commit-optimistically.js';
import type { Entry } from './commit-request.js';
import { writeJudged } from './commit-with-locks.js';
import { isKeyTaken } from './insert-emails-store.js';

/** A larger group costs each email less, and holds up whoever waits for the same counters for longer. */
const MOST_TOGETHER = 50;
/** Characters of content: so many, written as one text, still leave and are read in a part of the time they are given. */
const HEAVIEST_TOGETHER = 4_000_000;
/** Beside a transaction that is under way, a second one for fewer costs more than they wait for the first. */
const WORTH_ANOTHER = 8;
/** Where a cap is spent or keys are repeated, groups are not written in vain more often than this. */
const JUDGE_FOR_MS = 1_000;

export type WriteLedger = (entry: Entry) => Promise<Written>;

/**
 * The last word on caps and keys: one transaction for all requests that arrived together. Nearly
 * always all may be written, so that is tried first; only then is each judged on its own.
 * @throws Refusal of the caps, idempotency_key_reused; unavailable errors of Postgres as they are
 */
export function openLedger(ctx: Pick<Context, 'db'>, bell: Bell): WriteLedger {
  const write = openWriter(ctx.db);
  return grouped(
    async (entries: Entry[]) => {
      const verdicts = await write(entries);
      const queued = writtenOf(entries, verdicts).filter(({ email }) => email.status === 'queued');
      failpoint('after_commit');
      bell.ring(queued.map(({ email }) => [email.id, email.workspaceId]));
      failpoint('after_ring');
      return verdicts;
    },
    // Whoever stands behind those who got no connection would wait as long again.
    {
      max: MOST_TOGETHER,
      weigh: ({ email }) => (email.html?.length ?? 0) + (email.text?.length ?? 0),
      heaviest: HEAVIEST_TOGETHER,
      inFlight: 2,
      worthAnother: WORTH_ANOTHER,
      isSharedFate: isPoolExhausted,
    },
  );
}

function openWriter(db: Db): (entries: Entry[]) => Promise<Verdict[]> {
  let judgeUntil = 0;
  return async (entries) => {
    if (performance.now() >= judgeUntil) {
      if (await writeAtOnce(db, entries)) return entries.map(() => WRITTEN);
      judgeUntil = performance.now() + JUDGE_FOR_MS;
    }
    return writeOrSplit(db, entries);
  };
}

async function writeOrSplit(db: Db, entries: Entry[]): Promise<Verdict[]> {
  try {
    return await writeJudged(db, entries);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    // Now the answer of whoever took the key is there to be replayed.
    if (isKeyTaken(error)) return writeOrSplit(db, entries);
    return flushEachAlone((alone: Entry[]) => writeOrSplit(db, alone), entries, error);
  }
}
