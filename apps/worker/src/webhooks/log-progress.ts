import type { EventCursor } from '@posthorn/domain/events';

/** How far a webhook has come in the log. */
export type LogProgress = {
  /** Begins a page of events. @param end the place after it */
  add(eventIds: readonly string[], end: EventCursor): void;
  /** Counts an event whose result is recorded together with the next place. */
  count(eventId: string): void;
  /** All events up to here have been counted. */
  place(): EventCursor;
};

/** Events are recorded in any order, so a place is reached only when every event of its page has been counted. */
export function createLogProgress(start: EventCursor): LogProgress {
  let place = start;
  const pages: Array<{ readonly end: EventCursor; uncounted: number }> = [];
  const pageOf = new Map<string, (typeof pages)[number]>();
  return {
    add(eventIds, end) {
      const page = { end, uncounted: eventIds.length };
      pages.push(page);
      for (const id of eventIds) pageOf.set(id, page);
    },
    count(eventId) {
      const page = pageOf.get(eventId);
      if (page) page.uncounted -= 1;
      pageOf.delete(eventId);
    },
    place() {
      while (pages[0]?.uncounted === 0) place = (pages.shift() as (typeof pages)[number]).end;
      return place;
    },
  };
}
