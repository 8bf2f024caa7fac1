import { type Context, DELIVERY_QUEUE, type DeliveryJob, QUEUE_PREFIX } from '@posthorn/domain';
import { Queue } from 'bullmq';

/** Chosen; how many a bell names under load depends on what is accepted together. */
const MAILS_PER_BELL = 25;

/** The bells that accepting rings: one job for the emails of a transaction. */
export type Bells = {
  ring(workspaceId: string, ids: readonly string[]): Promise<void>;
  close(): Promise<void>;
};

export function openBells({ redis }: Pick<Context, 'redis'>): Bells {
  const queue = new Queue<DeliveryJob>(DELIVERY_QUEUE, {
    connection: redis,
    prefix: QUEUE_PREFIX,
    skipVersionCheck: true,
    defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
  });
  return {
    async ring(workspaceId, ids) {
      const groups = Array.from({ length: Math.ceil(ids.length / MAILS_PER_BELL) }, (_, index) =>
        ids.slice(index * MAILS_PER_BELL, (index + 1) * MAILS_PER_BELL),
      );
      for (let at = 0; at < groups.length; at += 1_000) {
        await queue.addBulk(
          groups.slice(at, at + 1_000).map((group) => ({
            name: 'deliver',
            data: { mails: { [workspaceId]: group } },
          })),
        );
      }
    },
    close: () => queue.close(),
  };
}
