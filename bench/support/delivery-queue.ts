import { DELIVERY_QUEUE, type DeliveryJob, QUEUE_PREFIX } from '@posthorn/domain/delivery';
import type { Context } from '@posthorn/platform';
import { Queue } from 'bullmq';

/** A typical number. Under load, it depends on how many emails are accepted together. */
const EMAILS_PER_JOB = 25;

/** Adds delivery jobs in the same way as accepting does: one job for the emails of a transaction. */
export type DeliveryQueue = {
  add(workspaceId: string, ids: readonly string[]): Promise<void>;
  close(): Promise<void>;
};

export function openDeliveryQueue({ redis }: Pick<Context, 'redis'>): DeliveryQueue {
  const queue = new Queue<DeliveryJob>(DELIVERY_QUEUE, {
    connection: redis,
    prefix: QUEUE_PREFIX,
    skipVersionCheck: true,
    defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
  });
  return {
    async add(workspaceId, ids) {
      const groups = Array.from({ length: Math.ceil(ids.length / EMAILS_PER_JOB) }, (_, index) =>
        ids.slice(index * EMAILS_PER_JOB, (index + 1) * EMAILS_PER_JOB),
      );
      for (let at = 0; at < groups.length; at += 1_000) {
        await queue.addBulk(
          groups.slice(at, at + 1_000).map((group) => ({
            name: 'deliver',
            data: { emails: { [workspaceId]: group } },
          })),
        );
      }
    },
    close: () => queue.close(),
  };
}
