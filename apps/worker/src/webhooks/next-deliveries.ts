import {
  type Context,
  type DueDelivery,
  type DuePlace,
  type EventCursor,
  type LeasedWebhook,
  readDueDeliveries,
  readWaitingEvents,
} from '@posthorn/domain';
import type { LogProgress } from './log-progress.js';
import { readAhead } from './read-ahead.js';

const DUE_PER_PAGE = 200;
/** How many events of the log to look at in one statement. */
const EVENTS_PER_PAGE = 500;

/**
 * What a webhook gets now: first the stored deliveries that are due, which are retries, replays and test events; then
 * the events of the log that it has not got yet.
 * @returns a function that returns the next delivery, or null at the end. It may be called many times at once
 */
export function openNextDeliveries(
  { db }: Pick<Context, 'db'>,
  webhook: LeasedWebhook,
  progress: LogProgress,
): () => Promise<DueDelivery | null> {
  const { id: webhookId, mode } = webhook;

  async function readDue(after: DuePlace | null) {
    const items = await readDueDeliveries(db, { webhookId, mode, after, limit: DUE_PER_PAGE });
    return { items, next: items.length === DUE_PER_PAGE ? (items.at(-1) ?? null) : null };
  }

  async function readWaiting(after: EventCursor) {
    const { events, end, hasMore } = await readWaitingEvents(db, webhook, { after, scan: EVENTS_PER_PAGE });
    progress.add(
      events.map(({ id }) => id),
      end,
    );
    const items = events.map((event) => ({
      eventId: event.id,
      streamId: event.streamId,
      sequence: event.sequence,
      attempt: 0,
      retries: 0,
      event,
    }));
    return { items, next: hasMore ? end : null };
  }

  const nextDue = readAhead<DueDelivery, DuePlace | null>(null, readDue);
  const nextWaiting = readAhead<DueDelivery, EventCursor>(webhook.place, readWaiting);
  return async () => (await nextDue()) ?? nextWaiting();
}
