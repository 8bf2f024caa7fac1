import type { Log } from '@posthorn/platform/logs';
import type { RedisClient } from '@posthorn/platform/redis';
import { Queue } from 'bullmq';

/** The name of the BullMQ queue between the API and the workers. */
export const DELIVERY_QUEUE = 'deliveries';

/** BullMQ puts every key of a queue under this prefix; the hash tag keeps them in one slot. */
export const QUEUE_PREFIX = '{posthorn}';

/** An email that may be due, and the workspace whose share of a worker's slots it uses. */
export type AnnouncedEmail = readonly [id: string, workspaceId: string];

/**
 * Lists the emails that may be due, by workspace, and contains nothing else. A lost, late or repeated job does no harm.
 * Storing each workspace id only once per job halves the memory that a backlog takes up in Redis.
 */
export type DeliveryJob = { readonly emails: Readonly<Record<string, readonly string[]>> };

export type DeliveryJobs = {
  /** Adds a job, now or within `JOB_EVERY_MS`. A failure is only logged, because workers also poll for due emails. */
  announce(emails: readonly AnnouncedEmail[]): void;
  /** How many jobs were added, and how many could not be added because of Redis. */
  readonly counts: Readonly<Record<'added' | 'lost', number>>;
  close(): Promise<void>;
};

export function openDeliveryJobs({ redis, log }: { redis: RedisClient; log: Log }): DeliveryJobs {
  let queue: Queue<DeliveryJob> | null = null;
  const counts = { added: 0, lost: 0 };

  /** Opened on first use, because BullMQ needs a connection that is ready. */
  function openQueue(): Queue<DeliveryJob> {
    queue ??= new Queue<DeliveryJob>(DELIVERY_QUEUE, {
      connection: redis,
      prefix: QUEUE_PREFIX,
      skipVersionCheck: true,
      defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
    }).on('error', (error) => log.warn({ error }, 'delivery_queue_error'));
    return queue;
  }

  function addJob(emails: readonly AnnouncedEmail[]): void {
    if (redis.status !== 'ready') {
      counts.lost += 1;
      return;
    }
    openQueue()
      .add('deliver', { emails: idsByWorkspace(emails) })
      .then(
        () => {
          counts.added += 1;
        },
        (error) => {
          counts.lost += 1;
          log.warn({ error, count: emails.length }, 'delivery_job_not_added');
        },
      );
  }

  const { add, flush } = collectForJobs(addJob);
  return {
    announce: add,
    counts,
    async close() {
      flush();
      await queue?.close();
    },
  };
}

/** A job costs this process and Redis as much as several emails, so under load one job announces several groups. */
const JOB_EVERY_MS = 10;

/** With this many emails, a job is added at once. */
const MAX_WAITING = 50;

/** Adds a job for the first emails at once. Those that follow within `JOB_EVERY_MS` share the next one. */
function collectForJobs(addJob: (emails: readonly AnnouncedEmail[]) => void) {
  let waiting: AnnouncedEmail[] = [];
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return;
    addJob(waiting);
    waiting = [];
    timer = setTimeout(flush, JOB_EVERY_MS).unref();
  }

  function add(emails: readonly AnnouncedEmail[]): void {
    waiting.push(...emails);
    if (timer === undefined || waiting.length >= MAX_WAITING) flush();
  }

  return { add, flush };
}

function idsByWorkspace(emails: readonly AnnouncedEmail[]): DeliveryJob['emails'] {
  const ids: Record<string, string[]> = {};
  for (const [id, workspaceId] of emails) {
    ids[workspaceId] ??= [];
    ids[workspaceId].push(id);
  }
  return ids;
}

/** The number of delivery jobs in each state. Each job announces up to 149 emails. */
export type JobCounts = { waiting: number; active: number; delayed: number; failed: number };

/** @param redis a connection that is ready */
export async function countJobs(redis: RedisClient): Promise<JobCounts> {
  const queue = new Queue(DELIVERY_QUEUE, { connection: redis, prefix: QUEUE_PREFIX, skipVersionCheck: true });
  queue.on('error', () => {});
  try {
    const counts = await queue.getJobCounts('waiting', 'active', 'delayed', 'failed');
    return { waiting: 0, active: 0, delayed: 0, failed: 0, ...counts };
  } finally {
    await queue.close();
  }
}
