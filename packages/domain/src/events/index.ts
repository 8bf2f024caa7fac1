export { type LoggedEvent, toEventData } from './event.js';
export {
  type EventCursor,
  findLogEnd,
  formatCursor,
  insertStandaloneEvent,
  type JoinedEventRow,
  type LogPage,
  type LogQuery,
  MAX_EVENT_ID,
  parseCursor,
  readEventLog,
  toJoinedEvent,
} from './event-log-store.js';
export { EVENTS_CHANNEL, listenForEvents, signalEvents } from './event-signal.js';
