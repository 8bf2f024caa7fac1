import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Log } from '../logging/log.js';
import { QUEUE_PREFIX } from '../redis/keys.js';

/** Name of the BullMQ queue between API and workers. */
export const DELIVERIES = 'deliveries';

/** An email that may be due, and the workspace that it would take a worker's room for. */
export type Announced = readonly [id: string, workspaceId: string];

/**
 * A job says which emails of which workspaces may be due, nothing else; lost, late or repeated it does no
 * harm. A million emails may wait for a mail server: each workspace is named once, which halves what they take.
 */
export type DeliveryJob = { readonly mails: Readonly<Record<string, readonly string[]>> };

export type Bell = {
  /** Tells the workers at once; a failure is only logged, for the sweep finds the emails anyway. */
  ring(mails: readonly Announced[]): void;
  close(): Promise<void>;
};

export function openBell({ redis, log }: { redis: Redis; log: Log }): Bell {
  let queue: Queue<DeliveryJob> | null = null;

  /** BullMQ cannot be opened on a connection that is not ready. */
  function opened(): Queue<DeliveryJob> {
    queue ??= new Queue<DeliveryJob>(DELIVERIES, {
      connection: redis,
      prefix: QUEUE_PREFIX,
      skipVersionCheck: true,
      defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
    }).on('error', (error) => log.warn({ error }, 'bell_error'));
    return queue;
  }

  return {
    ring(mails) {
      if (mails.length === 0 || redis.status !== 'ready') return;
      opened()
        .add('deliver', { mails: byWorkspace(mails) })
        .catch((error) => log.warn({ error, count: mails.length }, 'bell_not_heard'));
    },
    async close() {
      await queue?.close();
    },
  };
}

function byWorkspace(mails: readonly Announced[]): DeliveryJob['mails'] {
  const ids: Record<string, string[]> = {};
  for (const [id, workspaceId] of mails) {
    ids[workspaceId] ??= [];
    ids[workspaceId].push(id);
  }
  return ids;
}
