import type { EventType, Mode } from '@posthorn/contract';
import type { LoggedEvent } from './event.js';

/** A row of `events`, as Postgres returns it. */
export type EventRow = {
  id: string;
  stream_id: string;
  sequence: number;
  type: EventType;
  recipient: string | null;
  detail: string | null;
  data: Record<string, unknown> | null;
  created_at: Date;
};

/** A row that was joined with `events`, and found no event if `type` is null. */
export type JoinedEventRow = Omit<EventRow, 'type'> & { type: EventType | null };

export function toJoinedEvent({ type, ...row }: JoinedEventRow, mode: Mode): LoggedEvent | null {
  return type === null ? null : toLoggedEvent({ ...row, type }, mode);
}

export function toLoggedEvent(row: EventRow, mode: Mode): LoggedEvent {
  return {
    id: row.id,
    streamId: row.stream_id,
    sequence: row.sequence,
    type: row.type,
    recipient: row.recipient,
    detail: row.detail,
    data: row.data,
    mode,
    createdAt: row.created_at,
  };
}
