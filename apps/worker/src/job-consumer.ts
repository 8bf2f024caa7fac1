import { connectBlockingRedis, DELIVERIES, type DeliveryJob, QUEUE_PREFIX } from '@posthorn/domain';
import { type Job, Worker } from 'bullmq';
import type { WorkerContext } from './context.js';
import { holdAndDeliver } from './deliver-under-lease.js';

export type Consumer = { close(): Promise<void> };

/** Bells whose claims are under way at a time; a bell never waits for a delivery. */
const BELLS_AT_ONCE = 10;
/** Pause after a fault. BullMQ would wait 15 s for a link, and not at all for a Redis that is full. */
const PAUSE_MS = 1_000;

/**
 * Answers the bells: claims what they name, as far as there is room for it, and delivers it. A bell
 * that finds nothing is no fault, and one that finds no room is forgotten: its mail is the sweep's
 * then. So no bell stands behind the deliveries of those before it.
 */
export function openConsumer(ctx: WorkerContext): Consumer {
  const connection = connectBlockingRedis(ctx.config.redisUrl, ctx.log);
  const worker = new Worker<DeliveryJob>(DELIVERIES, (job: Job<DeliveryJob>) => answerBell(ctx, job.data), {
    connection,
    prefix: QUEUE_PREFIX,
    concurrency: BELLS_AT_ONCE,
    skipVersionCheck: true,
    runRetryDelay: PAUSE_MS,
  });
  let pause: NodeJS.Timeout | undefined;
  worker.on('error', (error) => {
    ctx.log.debug({ error }, 'consumer_error');
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
      // While Redis is away BullMQ would wait for it; there is no job to hand back either.
      const isAway = connection.status !== 'ready';
      if (isAway) connection.disconnect();
      await worker.close(isAway);
      connection.disconnect();
    },
  };
}

async function answerBell(ctx: WorkerContext, { mails }: DeliveryJob): Promise<void> {
  // While no relay may be tried the mail waits as it is.
  if (!ctx.relays.areOpen()) return;
  const announced = Object.entries(mails).flatMap(([workspaceId, ids]) => ids.map((id) => [id, workspaceId] as const));
  const admitted = announced.filter(([, workspaceId]) => ctx.slots.take(workspaceId));
  await Promise.all(admitted.map(([id, workspaceId]) => claimAndDeliver(ctx, id, workspaceId)));
}

/** @returns once the claim is settled; the delivery goes on */
async function claimAndDeliver(ctx: WorkerContext, id: string, workspaceId: string): Promise<void> {
  const claimedAt = performance.now();
  const email = await tryClaim(ctx, id);
  if (email) void holdAndDeliver(ctx, email, claimedAt);
  else ctx.slots.release(workspaceId);
}

/** A bell whose claim fails is forgotten: the sweep finds the email. */
async function tryClaim(ctx: WorkerContext, id: string) {
  try {
    return await ctx.claim(id);
  } catch (error) {
    ctx.log.warn({ error, emailId: id }, 'claim_failed');
    return null;
  }
}
