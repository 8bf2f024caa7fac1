import {
  type Event,
  type Event as EventJson,
  type EventType,
  eventTypes,
  type List,
  type Mode,
  modes,
} from '@posthorn/contract';
import { listIdsFromDomains } from '@posthorn/domain/emails';
import {
  findLogEnd,
  formatCursor,
  type LoggedEvent,
  type LogPage,
  parseCursor,
  readEventLog,
  toEventData,
} from '@posthorn/domain/events';
import type { Workspace } from '@posthorn/domain/workspaces';
import Joi from 'joi';
import type { ApiContext } from '../context/api-context.js';
import { keysThat } from '../routing/access.js';
import { findDomainIds, findWorkspaceOfMode } from '../routing/caller.js';
import { buildListQuery, type PaginationQuery, toPagination } from '../routing/lists.js';
import { defineRoute } from '../routing/route.js';
import { buildId, buildParsed } from '../validation/field-schemas.js';

/** Begins behind every event that exists now. */
const LATEST = 'latest';

type EventsQuery = PaginationQuery & { type?: EventType; email_id?: string; mode?: Mode };

const cursor = buildParsed(
  (text) => (text === LATEST || parseCursor(text) ? text : null),
  'must be a next_cursor from this list, or "latest"',
);

export const eventRoutes = [
  defineRoute<undefined, EventsQuery>({
    operationId: 'listEvents',
    method: 'get',
    path: '/api/v1/events',
    access: keysThat.readEvents,
    keepsToDomains: true,
    summary: 'Follow everything that happens, oldest first',
    hasLargePages: true,
    query: buildListQuery<EventsQuery>({
      after: cursor,
      before: Joi.forbidden().messages({
        'any.unknown': 'is not possible here: events are listed oldest first. Use after',
      }),
      type: Joi.valid(...eventTypes),
      email_id: buildId('must be the id of an email'),
      mode: Joi.valid(...modes),
    }),
    async handle(ctx, { caller, query }) {
      const workspace = findWorkspaceOfMode(caller, query.mode);
      if (workspace === null) return { status: 200, body: viewPage({ events: [], next: null, hasMore: false }) };
      const after = await findPlace(ctx, query.after);
      if (query.after === LATEST) return { status: 200, body: viewPage({ events: [], next: after, hasMore: false }) };
      const { limit } = toPagination(query);
      const { type = null, email_id: emailId = null } = query;
      const page = await readEventLog(ctx.db, workspace, { after, limit, type, emailId });
      return { status: 200, body: viewPage(await keepToDomains(ctx, page, workspace, findDomainIds(caller))) };
    },
  }),
];

/**
 * Leaves out what is not about the domains of a restricted key, or about emails from them. A page can then have few
 * events, or none, although more follow.
 */
async function keepToDomains(
  { db }: Pick<ApiContext, 'db'>,
  page: LogPage,
  workspace: Workspace,
  domainIds: readonly string[] | null,
): Promise<LogPage> {
  if (domainIds === null) return page;
  const ids = page.events.map(({ streamId }) => streamId);
  const ofEmails = new Set(await listIdsFromDomains(db, workspace.id, { ids, domainIds }));
  const isOwn = ({ type, streamId, data }: LoggedEvent) =>
    type.startsWith('email.') ? ofEmails.has(streamId) : domainIds.includes(String(data?.domain_id));
  return { ...page, events: page.events.filter(isOwn) };
}

async function findPlace({ db }: ApiContext, after: string | undefined) {
  if (after === LATEST) return findLogEnd(db);
  return after === undefined ? null : parseCursor(after);
}

/** Unlike in other lists, the last page has a cursor too, because a reader continues there later. */
function viewPage({ events, next, hasMore }: LogPage): List<Event> {
  return {
    object: 'list',
    data: events.map(viewEvent),
    has_more: hasMore,
    next_cursor: next === null ? null : formatCursor(next),
  };
}

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
