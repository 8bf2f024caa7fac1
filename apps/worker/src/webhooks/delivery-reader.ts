import type { EventCursor } from '@posthorn/domain/events';
import {
  type DueDelivery,
  type DuePlace,
  type LeasedWebhook,
  readDueDeliveries,
  readWaitingEvents,
} from '@posthorn/domain/webhooks';
import type { Context } from '@posthorn/platform';
import type { LogProgress } from './log-progress.js';
import { type Page, readAhead } from './read-ahead.js';

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
  { db, tracer }: Pick<Context, 'db' | 'tracer'>,
  webhook: LeasedWebhook,
  progress: LogProgress,
): () => DueDelivery | null | Promise<DueDelivery | null> {
  const { id: webhookId, mode } = webhook;
  const withTraces = tracer !== null;

  async function readDue(after: DuePlace | null): Promise<Page<DueDelivery, Place>> {
    const items = await readDueDeliveries(db, { webhookId, mode, after, limit: DUE_PER_PAGE, withTraces });
    const last = items.at(-1);
    return { items, next: last && items.length === DUE_PER_PAGE ? { due: last } : { log: webhook.place } };
  }

  async function readLog(after: EventCursor): Promise<Page<DueDelivery, Place>> {
    const { events, end, hasMore } = await readWaitingEvents(db, webhook, { after, scan: EVENTS_PER_PAGE, withTraces });
    progress.add(
      events.map(({ id }) => id),
      end,
    );
    const items = events.map((event) => {
      const { id: eventId, streamId, sequence, traceparent } = event;
      return { eventId, streamId, sequence, attempt: 0, retries: 0, event, traceparent };
    });
    return { items, next: hasMore ? { log: end } : null };
  }

  return readAhead<DueDelivery, Place>({ due: null }, (place) =>
    'log' in place ? readLog(place.log) : readDue(place.due),
  );
}
