import type { Event, List } from '@posthorn/contract';
import { findLogEnd, formatCursor, type LogPage, parseCursor, readEventLog } from '@posthorn/domain/events';
import { keysThat } from '../access.js';
import type { ApiContext } from '../context.js';
import { toPagination } from '../lists.js';
import { route } from '../route.js';
import { workspaceOfMode } from '../workspace-of-mode.js';
import { type EventsQuery, eventsQuery, LATEST } from './request.js';
import { viewEvent } from './view.js';

export const eventRoutes = [
  route<undefined, EventsQuery>({
    operationId: 'listEvents',
    method: 'get',
    path: '/api/v1/events',
    access: keysThat.readEvents,
    summary: 'Follow everything that happens, oldest first',
    hasLargePages: true,
    query: eventsQuery,
    async handle(ctx, { caller, query }) {
      const workspace = workspaceOfMode(caller, query.mode);
      if (workspace === null) return { status: 200, body: viewPage({ events: [], next: null, hasMore: false }) };
      const after = await placeOf(ctx, query.after);
      if (query.after === LATEST) return { status: 200, body: viewPage({ events: [], next: after, hasMore: false }) };
      const { limit } = toPagination(query);
      const { type = null, email_id: emailId = null } = query;
      return { status: 200, body: viewPage(await readEventLog(ctx.db, workspace, { after, limit, type, emailId })) };
    },
  }),
];

async function placeOf({ db }: ApiContext, after: string | undefined) {
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
