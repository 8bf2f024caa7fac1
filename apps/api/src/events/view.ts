import type { Event as EventJson } from '@posthorn/contract';
import { type LoggedEvent, toEventData } from '@posthorn/domain/events';

export function viewEvent(event: LoggedEvent): EventJson {
  return {
    object: 'event',
    id: event.id,
    type: event.type,
    created_at: event.createdAt.toISOString(),
    sequence: event.sequence,
    data: toEventData(event) as EventJson['data'],
  };
}
