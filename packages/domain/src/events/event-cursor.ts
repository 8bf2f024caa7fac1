import { isId } from '@posthorn/platform/values';
import { MAX, NIL } from 'uuid';

/** A place in the event log: after the event with this position and id. */
export type EventCursor = { readonly position: string; readonly eventId: string };

/** The highest id, so the cursor is after all events at that position. */
export const MAX_EVENT_ID = MAX;

export const START_OF_LOG: EventCursor = { position: '0', eventId: NIL };

export function formatCursor({ position, eventId }: EventCursor): string {
  return `${position}_${eventId}`;
}

/** @returns null if the text is not a cursor */
export function parseCursor(text: string): EventCursor | null {
  const [position = '', eventId = '', ...rest] = text.split('_');
  // A Postgres bigint has up to 19 digits.
  const isCursor = /^(0|[1-9]\d{0,17})$/.test(position) && isId(eventId) && rest.length === 0;
  return isCursor ? { position, eventId } : null;
}

/** The place behind all events below the horizon. */
export function cursorBelow(horizon: bigint): EventCursor {
  return { position: String(horizon - 1n), eventId: MAX_EVENT_ID };
}
