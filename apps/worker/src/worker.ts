import {
  type Context,
  closeContext,
  type MakeReturnPath,
  returnPathMaker,
  signingKeyFinder,
  templateCache,
} from '@posthorn/domain';
import { openClaimBatch } from './claim-batch.js';
import { type CleanUp, startCleanUp } from './clean-up.js';
import type { WorkerContext } from './context.js';
import { type DomainChecks, startDomainChecks } from './domain-checks.js';
import { type JobConsumer, openJobConsumer } from './job-consumer.js';
import { type LateEmailChecks, startLateEmailChecks } from './late-email-checks.js';
import { openLeases } from './leases.js';
import { messageMemory } from './message-memory.js';
import { createMetrics } from './metrics.js';
import { openRecordBatch } from './record-batch.js';
import { openRefusedOutcomes } from './refused-outcomes.js';
import { Slots } from './slots.js';
import { openRelays } from './smtp/relays.js';
import { type Sweep, startSweep } from './sweep.js';

const NIL_UUID = '00000000-0000-0000-0000-000000000000';

export type RunningWorker = {
  readonly ctx: WorkerContext;
  readonly sweep: Sweep;
  /** Claims no new emails, finishes the emails in hand, then closes. */
  stop(): Promise<void>;
};

/** Starts a worker that processes delivery jobs, polls for due emails, ends late ones, checks sending domains and deletes old rows. */
export function startWorker(base: Context): RunningWorker {
  const ctx = openWorker(base);
  const jobConsumer = openJobConsumer(ctx);
  const sweep = startSweep(ctx);
  const lateEmailChecks = startLateEmailChecks(ctx);
  const domainChecks = startDomainChecks(ctx);
  const cleanUp = startCleanUp(ctx);
  return { ctx, sweep, stop: () => stopWorker(ctx, { jobConsumer, sweep, lateEmailChecks, domainChecks, cleanUp }) };
}

function openWorker(ctx: Context): WorkerContext {
  const { config, log } = ctx;
  const makeReturnPath = returnPathMaker(config);
  const leases = openLeases(ctx);
  const record = openRecordBatch(ctx);
  return {
    ...ctx,
    relays: openRelays({ smtpUrls: config.smtpUrls, checkSender: checkSenderOf(config, makeReturnPath) }, log),
    slots: new Slots(config.workerConcurrency),
    leases,
    messageMemory: messageMemory(),
    templates: templateCache(),
    metrics: createMetrics(ctx),
    findSigningKey: signingKeyFinder(ctx),
    makeReturnPath,
    claim: openClaimBatch(ctx),
    record,
    refusedOutcomes: openRefusedOutcomes({ ...ctx, leases, record }),
  };
}

/** A return path like any other, so that relays treat it the same, but it belongs to no email. */
function checkSenderOf({ platformSenderDomain: domain }: Context['config'], makeReturnPath: MakeReturnPath): string {
  return makeReturnPath({ emailId: NIL_UUID, positions: [], domain });
}

async function stopWorker(
  ctx: WorkerContext,
  {
    jobConsumer,
    sweep,
    lateEmailChecks,
    domainChecks,
    cleanUp,
  }: {
    jobConsumer: JobConsumer;
    sweep: Sweep;
    lateEmailChecks: LateEmailChecks;
    domainChecks: DomainChecks;
    cleanUp: CleanUp;
  },
): Promise<void> {
  ctx.slots.stop();
  await Promise.all([jobConsumer.close(), sweep.stop(), lateEmailChecks.stop(), domainChecks.stop(), cleanUp.stop()]);
  await ctx.slots.untilEmpty();
  ctx.refusedOutcomes.stop();
  ctx.leases.stop();
  ctx.relays.close();
  await closeContext(ctx);
}
