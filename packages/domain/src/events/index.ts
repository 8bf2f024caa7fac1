export type { LoggedEvent } from './event.js';
export { type EventCursor, formatCursor, MAX_EVENT_ID, parseCursor } from './event-cursor.js';
export { eventData } from './event-data.js';
export { findLogEnd, type LogPage, type LogQuery, readEventLog } from './event-log-store.js';
export { type JoinedEventRow, toJoinedEvent } from './event-row.js';
export { listenForEvents, signalEvents } from './event-signal.js';
export { type DomainEventType, type EmailEventType, type EventType, eventTypes } from './event-types.js';
export { insertStandaloneEvent } from './insert-standalone-event-store.js';
