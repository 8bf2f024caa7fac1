import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '@posthorn/domain/delivery';
import { emailLogFields } from '@posthorn/domain/emails';
import { isUnavailable } from '@posthorn/platform/postgres';
import type { WorkerContext } from '../context.js';

/**
 * This pause stays short even in a long outage, because until the outcome is written, only the marker in Redis shows
 * that the email was sent. Waiting outcomes are written together, so frequent retries cost little.
 */
const PAUSE_MS = 100;

/**
 * Writes an outcome, and retries for as long as Postgres is unavailable, because only this process knows it. If
 * the lease expires first and another worker claims the email, that worker finds the handoff marker in Redis. If
 * Postgres refuses the outcome, it is kept and tried again later.
 */
export async function recordOutcome(ctx: WorkerContext, outcome: Outcome): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      const isOurs = await ctx.record(outcome);
      if (!isOurs) ctx.metrics.lostLeases.inc();
      return;
    } catch (error) {
      if (!isUnavailable(error)) {
        ctx.refusedOutcomes.keep(outcome, error);
        return;
      }
      if (tries === 1) ctx.log.warn({ error, ...emailLogFields(outcome) }, 'outcome_not_recorded_yet');
      await sleep(PAUSE_MS);
    }
  }
}
