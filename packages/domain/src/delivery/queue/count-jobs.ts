import { QUEUE_PREFIX, type RedisClient } from '@posthorn/platform/redis';
import { Queue } from 'bullmq';
import { DELIVERY_QUEUE } from './delivery-jobs.js';

/** The number of delivery jobs in each state. Each job announces up to 50 emails. */
export type JobCounts = { waiting: number; active: number; delayed: number; failed: number };

/** @param redis a connection that is ready */
export async function countJobs(redis: RedisClient): Promise<JobCounts> {
  const queue = new Queue(DELIVERY_QUEUE, { connection: redis, prefix: QUEUE_PREFIX, skipVersionCheck: true });
  queue.on('error', () => {});
  try {
    const {
      waiting = 0,
      active = 0,
      delayed = 0,
      failed = 0,
    } = await queue.getJobCounts('waiting', 'active', 'delayed', 'failed');
    return { waiting, active, delayed, failed };
  } finally {
    await queue.close();
  }
}
