import type { EventCursor } from '@posthorn/domain';

/** How far a webhook has come in the log. */
export type LogProgress = {
  /** Begins a page of events. @param end the place behind it */
  add(eventIds: readonly string[], end: EventCursor): void;
  /** Counts an event whose delivery is about to be recorded. */
  recorded(eventId: string): void;
  /** All events up to here have been counted. */
  place(): EventCursor;
};

/** Events are recorded in any order, so a place is reached only when every event of its page has been counted. */
export function createLogProgress(start: EventCursor): LogProgress {
  let place = start;
  const pages: Array<{ readonly end: EventCursor; unrecorded: number }> = [];
  const pageOf = new Map<string, (typeof pages)[number]>();
  return {
    add(eventIds, end) {
      const page = { end, unrecorded: eventIds.length };
      pages.push(page);
      for (const id of eventIds) pageOf.set(id, page);
    },
    recorded(eventId) {
      const page = pageOf.get(eventId);
      if (page) page.unrecorded -= 1;
      pageOf.delete(eventId);
    },
    place() {
      while (pages[0]?.unrecorded === 0) place = (pages.shift() as (typeof pages)[number]).end;
      return place;
    },
  };
}
