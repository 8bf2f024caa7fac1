import { connectBlockingRedis, DELIVERY_QUEUE, type DeliveryJob, QUEUE_PREFIX } from '@posthorn/domain';
import { type Job, Worker } from 'bullmq';
import type { WorkerContext } from './context.js';
import { deliverUnderLease } from './deliver-under-lease.js';

export type JobConsumer = { close(): Promise<void> };

/** Jobs whose claims may be in progress at a time. A job never waits for a delivery. */
const MAX_JOBS_AT_ONCE = 10;
/** Pause after a fault. BullMQ would wait 15 s after a lost connection, and not at all for a full Redis. */
const PAUSE_MS = 1_000;

/**
 * Processes delivery jobs: claims the emails they name, as far as slots are free, and delivers them. A job may
 * find its emails claimed already. A job that finds no free slot is dropped, and the sweep finds its emails
 * later, so no job waits behind the deliveries of earlier ones.
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
      // BullMQ would wait for an absent Redis, and there is no job to give back.
      const isAway = connection.status !== 'ready';
      if (isAway) connection.disconnect();
      await worker.close(isAway);
      connection.disconnect();
    },
  };
}

async function processJob(ctx: WorkerContext, { mails }: DeliveryJob): Promise<void> {
  // Without a relay to try, the emails wait as they are.
  if (!ctx.relays.areOpen()) return;
  const announced = Object.entries(mails).flatMap(([workspaceId, ids]) => ids.map((id) => [id, workspaceId] as const));
  const withSlot = announced.filter(([, workspaceId]) => ctx.slots.take(workspaceId));
  await Promise.all(withSlot.map(([id, workspaceId]) => claimAndDeliver(ctx, id, workspaceId)));
}

/** @returns once the claim is settled; the delivery goes on */
async function claimAndDeliver(ctx: WorkerContext, id: string, workspaceId: string): Promise<void> {
  const claimedAt = performance.now();
  const email = await tryClaim(ctx, id);
  if (email) void deliverUnderLease(ctx, email, claimedAt);
  else ctx.slots.release(workspaceId);
}

/** If the claim fails, the sweep finds the email. */
async function tryClaim(ctx: WorkerContext, id: string) {
  try {
    return await ctx.claim(id);
  } catch (error) {
    ctx.log.warn({ error, emailId: id }, 'claim_failed');
    return null;
  }
}
