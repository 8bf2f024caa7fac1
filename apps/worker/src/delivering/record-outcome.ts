import { setTimeout as sleep } from 'node:timers/promises';
import { type ClaimedEmail, type Outcome, recordOutcomes } from '@posthorn/domain/delivery';
import { toLogFields } from '@posthorn/domain/emails';
import { signalEvents } from '@posthorn/domain/events';
import { forgetCountersOfEmails } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { groupCalls, isolateFailures } from '@posthorn/platform/batching';
import { isUnavailable } from '@posthorn/platform/postgres';
import type { WorkerMetrics } from '../metrics/worker-metrics.js';
import { saveHandoff } from './handoff.js';
import type { Lease, Leases } from './leases.js';

/** The value of the metric label `relay` for an attempt that used no relay or whose worker vanished. */
const NO_RELAY = 'none';

export type OutcomeContext = Pick<Context, 'log' | 'now'> & {
  readonly metrics: WorkerMetrics;
  readonly record: WriteOutcome;
  readonly refusedOutcomes: RefusedOutcomes;
};

type Reporting = Pick<OutcomeContext, 'log' | 'metrics' | 'now'>;

/** Counts and logs an attempt whose outcome is known. @param ms from the claim to the outcome */
export function reportAttempt(
  { log, metrics, now }: Reporting,
  email: ClaimedEmail,
  { outcome, route, status, recipientResults }: Outcome,
  ms: number,
): void {
  metrics.attempts.inc({ relay: route ?? NO_RELAY, outcome });
  if (!email.isTest) for (const result of recipientResults) metrics.recipients.inc({ result: result.status });
  // The clocks of two machines may differ.
  if (status === 'sent' && !email.isTest)
    metrics.acceptToSent.observe(Math.max(0, now().getTime() - email.date.getTime()) / 1_000);
  log.info({ ...toLogFields(email), relay: route, outcome, ms: Math.round(ms) }, 'attempt_ended');
}

/** Counts and logs the attempt of a worker that vanished. */
export function reportLostAttempt({ log, metrics }: Reporting, email: ClaimedEmail): void {
  const outcome = email.reclaimed === 'unsent' ? 'deferred' : 'ambiguous';
  metrics.attempts.inc({ relay: NO_RELAY, outcome });
  log.info({ ...toLogFields(email), relay: null, outcome, ms: null }, 'attempt_ended');
}

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
export async function recordOutcome(ctx: OutcomeContext, outcome: Outcome): Promise<void> {
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
      if (tries === 1) ctx.log.warn({ error, ...toLogFields(outcome) }, 'outcome_not_recorded_yet');
      await sleep(PAUSE_MS);
    }
  }
}

const MAX_OUTCOMES_PER_STATEMENT = 50;

/** Writes the outcome of an attempt. @returns false if another worker has claimed the email since */
export type WriteOutcome = (outcome: Outcome) => Promise<boolean>;

/**
 * Runs one statement at a time. Two in parallel would each write half as many rows, and statements cost more than rows.
 */
export function openRecordBatch(ctx: Pick<Context, 'db' | 'incarnation' | 'redis'>): WriteOutcome {
  const recordTogether = async (outcomes: Outcome[]) => {
    const recorded = await recordOutcomes(ctx.db, outcomes);
    return outcomes.map(({ id }) => recorded.has(id));
  };
  const record = async (outcomes: Outcome[]) => {
    // If Postgres refuses an outcome or waits for a locked email, the other outcomes are written without that one.
    const results = await isolateFailures(outcomes, recordTogether, { isolatesLocks: true });
    signalEvents(ctx);
    const refunded = outcomes
      .filter(({ recipientResults }) => recipientResults.some(({ isRefunded }) => isRefunded))
      .map(({ id }) => id);
    if (refunded.length > 0) await forgetCountersOfEmails(ctx, refunded);
    return results;
  };
  return groupCalls(record, { max: MAX_OUTCOMES_PER_STATEMENT });
}

export type RefusedOutcomes = ReturnType<typeof openRefusedOutcomes>;

type Kept = { readonly outcome: Outcome; readonly lease: Lease };

/** Outcomes beyond this number are dropped. Their attempts count as ambiguous once the leases on the emails expire. */
const MAX_KEPT_OUTCOMES = 1_000;

/**
 * Keeps outcomes that Postgres refused to write although it was available, and tries to write each of them once per
 * lease. Until then it extends the leases on their emails, so no worker sends them again. Kept outcomes use no slots.
 */
export function openRefusedOutcomes(
  ctx: Pick<Context, 'config' | 'log' | 'incarnation' | 'redis'> & { leases: Leases; record: WriteOutcome },
) {
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
    ctx.log.error({ error, ...toLogFields(outcome) }, 'outcome_not_recorded');
  }

  return {
    /** @param error why Postgres refused the outcome */
    keep(outcome: Outcome, error: unknown): void {
      report(outcome, error);
      if (kept.size < MAX_KEPT_OUTCOMES) kept.add({ outcome, lease: ctx.leases.hold(outcome, performance.now()) });
    },
    count: () => kept.size,
    stop: () => clearInterval(timer),
  };
}
