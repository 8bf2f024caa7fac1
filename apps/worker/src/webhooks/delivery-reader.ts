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
import { type Page, readAhead } from './read-ahead.js';
import { type TracedDelivery, traceDeliveries } from './trace-deliveries.js';

const DUE_PER_PAGE = 200;
/** How many events of the log to look at in one statement. */
const EVENTS_PER_PAGE = 500;

/** Where to read: behind a stored delivery, or behind an event of the log. */
type Place = { readonly due: DuePlace | null } | { readonly log: EventCursor };

/**
 * Reads what a webhook gets now: first the stored deliveries that are due, which are retries, replays and test events;
 * then the events of the log that it has not received yet.
 * @returns a function that returns the next delivery, or null at the end. It may be called many times at once
 */
export function createDeliveryReader(
  ctx: Pick<Context, 'db' | 'tracer'>,
  webhook: LeasedWebhook,
  progress: LogProgress,
): () => TracedDelivery | null | Promise<TracedDelivery | null> {
  const { db } = ctx;
  const { id: webhookId, mode } = webhook;

  async function readDue(after: DuePlace | null): Promise<Page<DueDelivery, Place>> {
    const items = await readDueDeliveries(db, { webhookId, mode, after, limit: DUE_PER_PAGE });
    const last = items.at(-1);
    return { items, next: last && items.length === DUE_PER_PAGE ? { due: last } : { log: webhook.place } };
  }

  async function readLog(after: EventCursor): Promise<Page<DueDelivery, Place>> {
    const { events, end, hasMore } = await readWaitingEvents(db, webhook, { after, scan: EVENTS_PER_PAGE });
    progress.add(
      events.map(({ id }) => id),
      end,
    );
    const items = events.map((event) => {
      const { id: eventId, streamId, sequence } = event;
      return { eventId, streamId, sequence, attempt: 0, retries: 0, event };
    });
    return { items, next: hasMore ? { log: end } : null };
  }

  async function read(place: Place): Promise<Page<TracedDelivery, Place>> {
    const { items, next } = await ('log' in place ? readLog(place.log) : readDue(place.due));
    return { items: await traceDeliveries(ctx, items), next };
  }

  return readAhead({ due: null }, read);
}
