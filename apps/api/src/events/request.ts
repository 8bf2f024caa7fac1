import { type EventType, eventTypes, type Mode, modes } from '@posthorn/contract';
import { parseCursor } from '@posthorn/domain/events';
import { isId } from '@posthorn/platform/values';
import Joi from 'joi';
import { listQueryOf, type PaginationQuery } from '../lists.js';

/** Begins behind every event that exists now. */
export const LATEST = 'latest';

export type EventsQuery = PaginationQuery & { type?: EventType; email_id?: string; mode?: Mode };

const cursor = Joi.string().custom((text: string, helpers) =>
  text === LATEST || parseCursor(text)
    ? text
    : helpers.message({ custom: 'must be a next_cursor from this list, or "latest"' }),
);

/** GET /api/v1/events */
export const eventsQuery = listQueryOf<EventsQuery>({
  after: cursor,
  before: Joi.forbidden().messages({
    'any.unknown': 'is not possible here: events are listed oldest first. Use after',
  }),
  type: Joi.valid(...eventTypes),
  email_id: Joi.string().custom((text: string, helpers) =>
    isId(text) ? text : helpers.message({ custom: 'must be the id of an email' }),
  ),
  mode: Joi.valid(...modes),
});
