import { type Context, DELIVERIES, type DeliveryJob, QUEUE_PREFIX } from '@posthorn/domain';
import { Queue } from 'bullmq';

/** The bells that accepting rings: one job for the emails of a transaction. */
export type Bells = {
  ring(workspaceId: string, ids: readonly string[], together: number): Promise<void>;
  close(): Promise<void>;
};

export function openBells({ redis }: Pick<Context, 'redis'>): Bells {
  const queue = new Queue<DeliveryJob>(DELIVERIES, {
    connection: redis,
    prefix: QUEUE_PREFIX,
    skipVersionCheck: true,
    defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
  });
  return {
    async ring(workspaceId, ids, together) {
      const groups = Array.from({ length: Math.ceil(ids.length / together) }, (_, index) =>
        ids.slice(index * together, (index + 1) * together),
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
