import { type Outcome, recordOutcomes } from '@posthorn/domain/delivery';
import { signalEvents } from '@posthorn/domain/events';
import { forgetCountersOfEmails } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { flushEachAlone, grouped, type Rejection } from '@posthorn/platform/batching';
import { isLockTimeout, isUnavailable } from '@posthorn/platform/postgres';

const MAX_OUTCOMES_PER_STATEMENT = 50;

/** Writes the outcome of an attempt. @returns false if another worker has claimed the email since */
export type WriteOutcome = (outcome: Outcome) => Promise<boolean>;

/**
 * Runs one statement at a time. Two in parallel would each write half as many rows, and statements cost more than rows.
 */
export function openRecordBatch(ctx: Pick<Context, 'db' | 'incarnationKeys' | 'redis'>): WriteOutcome {
  const record = async (outcomes: Outcome[]) => {
    const results = await recordTogether(ctx.db, outcomes);
    signalEvents(ctx);
    const refunded = outcomes.filter(({ recipientResults }) => recipientResults.some(({ isRefunded }) => isRefunded));
    if (refunded.length > 0)
      await forgetCountersOfEmails(
        ctx,
        refunded.map(({ id }) => id),
      );
    return results;
  };
  return grouped(record, { max: MAX_OUTCOMES_PER_STATEMENT });
}

/** If Postgres refuses an outcome or waits for a locked email, the other outcomes are written without that one. */
async function recordTogether(db: Context['db'], outcomes: Outcome[]): Promise<Array<boolean | Rejection>> {
  try {
    const recorded = await recordOutcomes(db, outcomes);
    return outcomes.map(({ id }) => recorded.has(id));
  } catch (error) {
    if (isUnavailable(error) && !isLockTimeout(error)) throw error;
    return flushEachAlone((alone: Outcome[]) => recordTogether(db, alone), outcomes, error);
  }
}
