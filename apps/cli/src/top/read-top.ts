import { readQueuePauses } from '@posthorn/domain/delivery';
import { readBacklog } from '@posthorn/domain/emails';
import { readAttemptActivity, readDestinationActivity, readWorkspaceActivity } from '@posthorn/domain/monitoring';
import type { Db } from '@posthorn/platform/postgres';
import type { Result } from '../print.js';
import { readWorkers } from './read-workers.js';

/** Everything that `posthorn top` shows. @param workerUrls of the metrics ports of workers */
export async function readTop(db: Db, workerUrls: readonly string[]): Promise<Result> {
  const [backlog, pauses, workspaces, attempts, destinations, workers] = await Promise.all([
    readBacklog(db),
    readQueuePauses(db),
    readWorkspaceActivity(db),
    readAttemptActivity(db),
    readDestinationActivity(db),
    readWorkers(workerUrls),
  ]);
  return {
    oldest_due_seconds: backlog.oldestDueSeconds,
    ...backlog.emails,
    ...(pauses.length > 0 && {
      paused: pauses.map(({ workspaceId }) => workspaceId ?? 'the whole service').join(', '),
    }),
    ...(workers.unreachable.length > 0 && { unreachable_workers: workers.unreachable.join(', ') }),
    workspaces: workspaces.map(({ id, name, mode, waiting, oldestSeconds, accepted, sent }) => ({
      id,
      waiting,
      oldest_seconds: oldestSeconds,
      accepted_per_minute: accepted,
      sent_per_minute: sent,
      mode,
      name,
    })),
    ...(workerUrls.length > 0 && { relays: workers.relays }),
    attempts,
    destinations: destinations.map(({ domain, waiting, sent, deferred, bounced, lastReply }) => ({
      domain,
      deferred_waiting: waiting,
      sent_per_minute: sent,
      deferred_per_minute: deferred,
      bounced_per_minute: bounced,
      last_reply: lastReply,
    })),
  };
}
