import type { EventCursor } from '@posthorn/domain/events';
import {
  type DueDelivery,
  type DuePlace,
  type LeasedWebhook,
  readDueDeliveries,
  readWaitingEvents,
} from '@posthorn/domain/webhooks';
import type { Context } from '@posthorn/platform';

const DUE_PER_PAGE = 200;
/** How many events of the log to look at in one statement. */
const EVENTS_PER_PAGE = 500;

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

/** @property next where the next page begins; null if this is the last one */
type Page<Item, Place> = { readonly items: readonly Item[]; readonly next: Place | null };

/**
 * Reads items page by page. The next page is read while the items of the current one are being used.
 * @returns a function that returns the next item, or null after the last one. It may be called many times at once. It
 *   returns a promise only if a page is still being read, because a promise costs as much as using the item
 */
export function readAhead<Item, Place>(
  start: Place,
  read: (after: Place) => Promise<Page<Item, Place>>,
): () => Item | null | Promise<Item | null> {
  let items: Item[] = [];
  let next: Promise<Page<Item, Place>> | null = begin(start);
  let turning: Promise<void> | null = null;

  function begin(after: Place): Promise<Page<Item, Place>> {
    const page = read(after);
    // The caller may have stopped before it needs this page.
    page.catch(() => {});
    return page;
  }

  async function turnPage(page: Promise<Page<Item, Place>>): Promise<void> {
    const { items: found, next: after } = await page;
    items = found.toReversed();
    next = after === null ? null : begin(after);
    turning = null;
  }

  async function readNext(): Promise<Item | null> {
    while (items.length === 0 && next !== null) {
      turning ??= turnPage(next);
      await turning;
    }
    return items.pop() ?? null;
  }

  return () => items.pop() ?? (next === null ? null : readNext());
}

export type LogProgress = ReturnType<typeof createLogProgress>;

/**
 * How far a webhook has come in the log. Events are recorded in any order, so a place is reached only when every event
 * of its page has been counted.
 */
export function createLogProgress(start: EventCursor) {
  let place = start;
  const pages: Array<{ readonly end: EventCursor; uncounted: number }> = [];
  const pagesById = new Map<string, (typeof pages)[number]>();
  return {
    /** Begins a page of events. @param end the place after it */
    add(eventIds: readonly string[], end: EventCursor): void {
      const page = { end, uncounted: eventIds.length };
      pages.push(page);
      for (const id of eventIds) pagesById.set(id, page);
    },
    /** Counts an event whose result is recorded together with the next place. */
    count(eventId: string): void {
      const page = pagesById.get(eventId);
      if (page) page.uncounted -= 1;
      pagesById.delete(eventId);
    },
    /** All events up to here have been counted. */
    place(): EventCursor {
      while (pages[0]?.uncounted === 0) place = (pages.shift() as (typeof pages)[number]).end;
      return place;
    },
  };
}
