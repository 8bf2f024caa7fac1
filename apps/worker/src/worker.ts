import { type AcceptContext, openAcceptContext } from '@posthorn/domain/accepting';
import { createReturnPathMaker, type MakeReturnPath } from '@posthorn/domain/bounces';
import { type PausedQueues, readPausedQueues } from '@posthorn/domain/delivery';
import { createSuppressedFinder } from '@posthorn/domain/suppressions';
import { createTemplateCache } from '@posthorn/domain/templates';
import { createFairQueue } from '@posthorn/domain/throttles';
import { createMessageMemory } from '@posthorn/message';
import { type Context, closeContext } from '@posthorn/platform';
import type { Assess } from '@posthorn/platform/metrics';
import type { Loop } from '@posthorn/platform/processes';
import { openClaimBatch, type WorkerContext } from './claiming/claim-emails.js';
import { type JobConsumer, openJobConsumer } from './claiming/job-consumer.js';
import { startLateEmailChecks } from './claiming/late-email-checks.js';
import { countReserved, createSlots } from './claiming/slots.js';
import { type Sweep, startSweep } from './claiming/sweep.js';
import { openHoldBack } from './delivering/hold-back.js';
import { openLeases } from './delivering/leases.js';
import { openRecordBatch, openRefusedOutcomes } from './delivering/record-outcome.js';
import { startCleanUp } from './maintenance/clean-up.js';
import { startDomainChecks, startErasures, startReputation } from './maintenance/regular-work.js';
import { createReplyCounter, createWorkerMetrics, observeWorker } from './metrics/worker-metrics.js';
import { createDirectOpener } from './mx/open-direct.js';
import { openFreshCopy } from './routing/fresh-copy.js';
import { openRouting } from './routing/routing-copy.js';
import { openRelays } from './smtp/relays.js';
import { toTimeouts } from './smtp/timeouts.js';
import { startWebhooks } from './webhooks/start-webhooks.js';

const NIL_UUID = '00000000-0000-0000-0000-000000000000';

export type RunningWorker = {
  readonly ctx: WorkerContext;
  /** null unless the worker delivers emails. */
  readonly sweep: Sweep | null;
  /** Claims no new emails, finishes the emails in hand, then closes. */
  stop(): Promise<void>;
};

/**
 * Starts a worker. Depending on its roles, it delivers emails (it processes delivery jobs, polls for due emails and ends
 * late ones), sends events to webhooks, or both. It also checks sending domains, deletes old rows, erases recipients, and
 * counts bounces and complaints.
 */
export function startWorker(base: Context): RunningWorker {
  const ctx = openWorker(base);
  // For the service's own mail to owners.
  const accepting = openAcceptContext(base);
  const { workerRoles } = ctx.config;
  const delivery = workerRoles.includes('deliver') ? startDelivery(ctx) : null;
  const webhooks = workerRoles.includes('webhooks') ? startWebhooks(ctx, accepting) : null;
  const loops = [
    ...(delivery?.loops ?? []),
    ...(webhooks ? [webhooks] : []),
    startDomainChecks(ctx),
    startCleanUp(ctx),
    startErasures(ctx),
    startReputation(accepting),
  ];
  return {
    ctx,
    sweep: delivery?.sweep ?? null,
    stop: () => stopWorker(ctx, { accepting, jobConsumer: delivery?.jobConsumer ?? null, loops }),
  };
}

function startDelivery(ctx: WorkerContext) {
  const sweep = startSweep(ctx);
  return { sweep, jobConsumer: openJobConsumer(ctx), loops: [sweep, startLateEmailChecks(ctx)] };
}

function openWorker(ctx: Context): WorkerContext {
  const { config } = ctx;
  const makeReturnPath = createReturnPathMaker(config);
  const leases = openLeases(ctx);
  const record = openRecordBatch(ctx);
  const metrics = createWorkerMetrics(ctx);
  const relaySettings = {
    ...config,
    checkSender: buildCheckSender(config, makeReturnPath),
    timeouts: toTimeouts(config.smtpTimeouts),
    openDirect: createDirectOpener(ctx),
  };
  const relays = openRelays(ctx, relaySettings, createReplyCounter(metrics.replies));
  const observed = {
    relays,
    slots: createSlots(config.workerConcurrency),
    refusedOutcomes: openRefusedOutcomes({ ...ctx, leases, record }),
  };
  observeWorker(metrics.registry, observed);
  return {
    ...ctx,
    ...observed,
    pauses: openPauses(ctx),
    routing: openRouting(ctx, (routing) => relays.update(routing.relays)),
    holdBack: openHoldBack(ctx),
    sendingTurns: createFairQueue({
      atOnce: config.workerConcurrency,
      reserved: countReserved(config.workerConcurrency),
    }),
    leases,
    messageMemory: createMessageMemory(),
    templates: createTemplateCache(),
    metrics,
    signingKeys: new Map(),
    makeReturnPath,
    findSuppressed: createSuppressedFinder(ctx),
    claim: openClaimBatch(ctx),
    record,
  };
}

function openPauses({ db, log }: Context): WorkerContext['pauses'] {
  const nothingRead: PausedQueues = { isServicePaused: true, workspaceIds: [] };
  return openFreshCopy(
    nothingRead,
    () => readPausedQueues(db),
    (error) => log.debug({ error }, 'pauses_not_read'),
  );
}

/** Looks like any other return path, so that relays treat it the same way, but belongs to no email. */
function buildCheckSender({ platformSenderDomain: domain }: Context['config'], makeReturnPath: MakeReturnPath): string {
  return makeReturnPath({ emailId: NIL_UUID, positions: [], domain });
}

async function stopWorker(
  ctx: WorkerContext,
  { accepting, jobConsumer, loops }: { accepting: AcceptContext; jobConsumer: JobConsumer | null; loops: Loop[] },
): Promise<void> {
  ctx.slots.stop();
  ctx.pauses.stop();
  ctx.routing.stop();
  await Promise.all([jobConsumer?.close(), ...loops.map((loop) => loop.stop())]);
  await accepting.close();
  await ctx.slots.untilEmpty();
  ctx.refusedOutcomes.stop();
  ctx.leases.stop();
  ctx.relays.close();
  await closeContext(ctx);
}

export async function stopWithin(worker: Pick<RunningWorker, 'stop'>, ms: number): Promise<boolean> {
  let late: NodeJS.Timeout | undefined;
  const tooLate = new Promise<boolean>((resolve) => {
    late = setTimeout(resolve, ms, false);
  });
  const inTime = await Promise.race([worker.stop().then(() => true), tooLate]);
  clearTimeout(late);
  return inTime;
}

/** A worker is ready while it can write to Postgres and its sweep works. */
export function assessWorker({ ctx, sweep }: Pick<RunningWorker, 'ctx' | 'sweep'>): Assess {
  return ({ postgres, redis }) => {
    const works = { relays: ctx.relays.areAvailable(), sweep: sweep === null || !sweep.isFailing() };
    return { isReady: postgres.state === 'writable' && works.sweep, facts: { postgres, redis, ...works } };
  };
}
