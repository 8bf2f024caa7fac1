import { connectBlockingRedis, DELIVERIES, type DeliveryJob, QUEUE_PREFIX } from '@posthorn/domain';
import { type Job, Worker } from 'bullmq';
import type { WorkerContext } from './context.js';
import { holdAndDeliver } from './hold-and-deliver.js';

export type Consumer = { close(): Promise<void> };

/** Answers the bells: claims what they name and delivers it. A bell that finds nothing is no fault. */
export function openConsumer(ctx: WorkerContext): Consumer {
  const connection = connectBlockingRedis(ctx.config.redisUrl, ctx.log);
  const worker = new Worker<DeliveryJob>(DELIVERIES, (job: Job<DeliveryJob>) => answerBell(ctx, job.data.ids), {
    connection,
    prefix: QUEUE_PREFIX,
    concurrency: ctx.config.workerConcurrency,
    skipVersionCheck: true,
  });
  worker.on('error', (error) => ctx.log.debug({ error }, 'consumer_error'));
  return {
    async close() {
      // While Redis is away BullMQ would wait for it; there is no job to hand back either.
      const isAway = connection.status !== 'ready';
      if (isAway) connection.disconnect();
      await worker.close(isAway);
      connection.disconnect();
    },
  };
}

async function answerBell(ctx: WorkerContext, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((id) => deliverById(ctx, id)));
}

async function deliverById(ctx: WorkerContext, id: string): Promise<void> {
  if (!(await ctx.slots.take())) return;
  const claimedAt = performance.now();
  const email = ctx.relays.areOpen() ? await tryClaim(ctx, id) : null;
  if (email) await holdAndDeliver(ctx, email, claimedAt);
  else ctx.slots.release();
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
