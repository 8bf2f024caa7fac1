import type { Outcome } from '@posthorn/domain/delivery';
import { emailLogFields } from '@posthorn/domain/emails';
import type { Context } from '@posthorn/platform';
import { isUnavailable } from '@posthorn/platform/postgres';
import type { Lease, Leases } from '../claiming/leases.js';
import { saveHandoff } from './handoff.js';
import type { WriteOutcome } from './record-batch.js';

/** Outcomes that Postgres refused to write although it was available. */
export type RefusedOutcomes = {
  /** @param error why Postgres refused the outcome */
  keep(outcome: Outcome, error: unknown): void;
  /** How many outcomes are kept. */
  count(): number;
  stop(): void;
};

type Kept = { readonly outcome: Outcome; readonly lease: Lease };

/** Outcomes beyond this number are dropped. Their attempts count as ambiguous once the leases on the emails expire. */
const MAX_KEPT_OUTCOMES = 1_000;

/**
 * Keeps refused outcomes and tries to write each of them once per lease. As long as this worker runs, the leases on
 * their emails are extended, so no worker sends these emails again. Kept outcomes use no slots.
 */
export function openRefusedOutcomes(
  ctx: Pick<Context, 'config' | 'log' | 'incarnationKeys' | 'redis'> & { leases: Leases; record: WriteOutcome },
): RefusedOutcomes {
  const kept = new Set<Kept>();
  let isRetrying = false;
  const timer = setInterval(() => void retryAll(), ctx.config.leaseSeconds * 1_000).unref();

  async function retryAll(): Promise<void> {
    if (isRetrying) return;
    isRetrying = true;
    for (const entry of [...kept]) if (await retry(entry)) drop(entry);
    isRetrying = false;
  }

  /** @returns true if the outcome has been written or another worker has claimed the email */
  async function retry({ outcome }: Kept): Promise<boolean> {
    // Keeps the marker alive for the worker that claims the email if this one stops.
    await saveHandoff(ctx, outcome);
    try {
      await ctx.record(outcome);
      return true;
    } catch (error) {
      if (!isUnavailable(error)) report(outcome, error);
      return false;
    }
  }

  function drop(entry: Kept): void {
    entry.lease.end();
    kept.delete(entry);
  }

  function report(outcome: Outcome, error: unknown): void {
    ctx.log.error({ error, ...emailLogFields(outcome) }, 'outcome_not_recorded');
  }

  return {
    keep(outcome, error) {
      report(outcome, error);
      if (kept.size < MAX_KEPT_OUTCOMES) kept.add({ outcome, lease: ctx.leases.hold(outcome, performance.now()) });
    },
    count: () => kept.size,
    stop: () => clearInterval(timer),
  };
}
