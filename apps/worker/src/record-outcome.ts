import { isUnavailable, type Outcome } from '@posthorn/domain';
import type { WorkerContext } from './context.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Writes an outcome, however long Postgres is away: the process knows it and must not forget it. If
 * the lease ends meanwhile and another worker claims the email, that worker finds the note in Redis.
 */
export async function recordOutcome(ctx: WorkerContext, outcome: Outcome): Promise<void> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      const isOurs = await ctx.record(outcome);
      if (!isOurs) ctx.metrics.lostLeases.inc();
      ctx.metrics.attempts.inc({ outcome: outcome.outcome });
      return;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      ctx.log.warn({ error, emailId: outcome.id }, 'outcome_not_recorded_yet');
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
