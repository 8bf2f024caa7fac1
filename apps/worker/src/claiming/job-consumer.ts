import { type ClaimedEmail, DELIVERY_QUEUE, type DeliveryJob, QUEUE_PREFIX } from '@posthorn/domain/delivery';
import { connectBlockingRedis } from '@posthorn/platform/redis';
import { type Job, Worker } from 'bullmq';
import { deliverUnderLease } from '../delivering/deliver-email.js';
import type { WorkerContext } from './claim-emails.js';

export type JobConsumer = { close(): Promise<void> };

/** A job ends when its emails are claimed. It does not wait for their delivery. */
const MAX_JOBS_AT_ONCE = 10;
/** Pause after an error. BullMQ by itself waits 15 s after a lost connection, but not at all if Redis is full. */
const PAUSE_MS = 1_000;

/**
 * Processes delivery jobs: claims as many of their emails as there are free slots, and delivers them. If no slot is
 * free for an email, it is left to the sweep, so a job never waits for earlier deliveries. Another worker may have
 * claimed some of the emails already.
 */
export function openJobConsumer(ctx: WorkerContext): JobConsumer {
  const connection = connectBlockingRedis(ctx.config.redisUrl, ctx.log);
  const worker = new Worker<DeliveryJob>(DELIVERY_QUEUE, (job: Job<DeliveryJob>) => processJob(ctx, job.data), {
    connection,
    prefix: QUEUE_PREFIX,
    concurrency: MAX_JOBS_AT_ONCE,
    skipVersionCheck: true,
    runRetryDelay: PAUSE_MS,
  });
  let pause: NodeJS.Timeout | undefined;
  worker.on('error', (error) => {
    ctx.log.debug({ error }, 'job_consumer_error');
    if (pause !== undefined) return;
    void worker.pause(true);
    pause = setTimeout(() => {
      pause = undefined;
      void worker.resume();
    }, PAUSE_MS).unref();
  });
  return {
    async close() {
      clearTimeout(pause);
      // Without this, BullMQ would wait for a lost connection to come back, just to return its jobs.
      const isDisconnected = connection.status !== 'ready';
      if (isDisconnected) connection.disconnect();
      await worker.close(isDisconnected);
      connection.disconnect();
    },
  };
}

async function processJob(ctx: WorkerContext, { emails }: DeliveryJob): Promise<void> {
  ctx.metrics.jobs.inc();
  // Until a relay works again, only the sweep claims emails, and only one at a time.
  if (ctx.relays.needProbe()) return;
  const { isServicePaused, workspaceIds: paused } = await ctx.pauses.read();
  if (isServicePaused) return;
  const announced = Object.entries(emails)
    .filter(([workspaceId]) => !paused.includes(workspaceId))
    .flatMap(([workspaceId, ids]) => ids.map((id) => [id, workspaceId] as const));
  const withSlot = announced.filter(([, workspaceId]) => ctx.slots.take(workspaceId));
  const startedAt = performance.now();
  const claimed = await Promise.all(withSlot.map(([id, workspaceId]) => claimAndDeliver(ctx, id, workspaceId)));
  traceJob(ctx, claimed, startedAt);
}

/** The job names no traces, so it is recorded once its emails are claimed. */
function traceJob({ tracer }: WorkerContext, claimed: ReadonlyArray<ClaimedEmail | null>, startedAt: number): void {
  if (tracer === null) return;
  const emails = claimed.filter((email) => email !== null);
  const attributes = {
    'messaging.system': 'bullmq',
    'messaging.destination.name': DELIVERY_QUEUE,
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.batch.message_count': claimed.length,
  };
  tracer.startWork(`process ${DELIVERY_QUEUE}`, emails, { kind: 'consumer', attributes, startedAt })?.end();
}

/** Settles after the claim. The delivery continues in the background. @returns null if the email was not claimed */
async function claimAndDeliver(ctx: WorkerContext, id: string, workspaceId: string): Promise<ClaimedEmail | null> {
  const claimedAt = performance.now();
  const email = await ctx.claim(id).catch((error) => {
    // The sweep finds the email later.
    ctx.log.warn({ error, emailId: id }, 'claim_failed');
    return null;
  });
  if (email) void deliverUnderLease(ctx, email, { claimedAt, source: 'job' });
  else ctx.slots.release(workspaceId);
  return email;
}
