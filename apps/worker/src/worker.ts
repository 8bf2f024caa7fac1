import {
  type ClaimedEmail,
  type Context,
  claimEmails,
  closeContext,
  flushEachAlone,
  grouped,
  isUnavailable,
  type Outcome,
  type Rejection,
  recordOutcomes,
  returnPathMaker,
  signingKeyFinder,
  templateCache,
} from '@posthorn/domain';
import type { WorkerContext } from './context.js';
import { type DomainChecks, startDomainChecks } from './domain-checks.js';
import { type Consumer, openConsumer } from './job-consumer.js';
import { openLeases } from './leases.js';
import { createMetrics } from './metrics.js';
import { Slots } from './slots.js';
import { openRelays } from './smtp/relays.js';
import { type Sweep, startSweep } from './sweep.js';

const MOST_TOGETHER = 50;

export type RunningWorker = {
  readonly ctx: WorkerContext;
  readonly sweep: Sweep;
  /** Takes nothing new, finishes what is in hand, then closes. */
  stop(): Promise<void>;
};

/** A worker at work: answering bells and sweeping until it is stopped. */
export function startWorker(base: Context): RunningWorker {
  const ctx = openWorker(base);
  const consumer = openConsumer(ctx);
  const sweep = startSweep(ctx);
  const domainChecks = startDomainChecks(ctx);
  return { ctx, sweep, stop: () => stopWorker(ctx, { consumer, sweep, domainChecks }) };
}

function openWorker(ctx: Context): WorkerContext {
  const { db, config, log } = ctx;
  return {
    ...ctx,
    relays: openRelays(config.smtpUrls, log),
    slots: new Slots(config.workerConcurrency),
    leases: openLeases(ctx),
    templates: templateCache(),
    metrics: createMetrics(),
    findSigningKey: signingKeyFinder(ctx),
    makeReturnPath: returnPathMaker(config),
    claim: grouped((ids: string[]) => claimTogether(ctx, ids), { max: MOST_TOGETHER, inFlight: 2 }),
    // One group at a time: two side by side are half as large each, and a statement costs more than a row of it.
    record: grouped((outcomes: Outcome[]) => recordTogether(db, outcomes), { max: MOST_TOGETHER }),
  };
}

async function claimTogether({ db, config }: Context, ids: string[]): Promise<Array<ClaimedEmail | null>> {
  const claimed = await claimEmails(db, ids, config.leaseSeconds);
  const byId = new Map(claimed.map((email) => [email.id, email]));
  // The same id twice in one group goes to one of them only.
  return ids.map((id) => {
    const email = byId.get(id) ?? null;
    byId.delete(id);
    return email;
  });
}

async function recordTogether(db: Context['db'], outcomes: Outcome[]): Promise<Array<boolean | Rejection>> {
  try {
    const recorded = await recordOutcomes(db, outcomes);
    return outcomes.map(({ id }) => recorded.has(id));
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return flushEachAlone((alone: Outcome[]) => recordTogether(db, alone), outcomes, error);
  }
}

async function stopWorker(
  ctx: WorkerContext,
  { consumer, sweep, domainChecks }: { consumer: Consumer; sweep: Sweep; domainChecks: DomainChecks },
): Promise<void> {
  ctx.slots.stop();
  await Promise.all([consumer.close(), sweep.stop(), domainChecks.stop()]);
  await ctx.slots.empty();
  ctx.leases.stop();
  ctx.relays.close();
  await closeContext(ctx);
}
