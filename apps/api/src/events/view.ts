import type { Event as EventJson } from '@posthorn/contract';
import { eventData, type LoggedEvent } from '@posthorn/domain/events';

export function viewEvent(event: LoggedEvent): EventJson {
  return {
    object: 'event',
    id: event.id,
    type: event.type,
    created_at: event.createdAt.toISOString(),
    sequence: event.sequence,
    data: eventData(event) as EventJson['data'],
  };
}
