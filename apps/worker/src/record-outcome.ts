import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable, type Outcome } from '@posthorn/domain';
import type { WorkerContext } from './context.js';

/**
 * Short, also in a long outage: once Postgres is back, whoever dies before this is written leaves the note in
 * Redis alone to tell that the mail has gone. All outcomes that wait share one statement.
 */
const PAUSE_MS = 100;

/**
 * Writes an outcome, however long Postgres is away: the process knows it and must not forget it. If
 * the lease ends meanwhile and another worker claims the email, that worker finds the note in Redis.
 */
export async function recordOutcome(ctx: WorkerContext, outcome: Outcome): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      const isOurs = await ctx.record(outcome);
      if (!isOurs) ctx.metrics.lostLeases.inc();
      ctx.metrics.attempts.inc({ outcome: outcome.outcome });
      return;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      if (tries === 1) ctx.log.warn({ error, emailId: outcome.id }, 'outcome_not_recorded_yet');
      await sleep(PAUSE_MS);
    }
  }
}
