import type { Caller } from '@posthorn/domain/accounts';
import { cancelEmail, findEmail, renderedContent, reportStats, rescheduleEmail } from '@posthorn/domain/emails';
import { Refusal } from '@posthorn/domain/errors';
import { type Mode, modeOf } from '@posthorn/domain/workspaces';
import { readList } from '@posthorn/platform/replica';
import type { ApiContext } from '../context/api-context.js';
import { assertNoPageOfExport, buildCsvResponse } from '../csv/csv-export.js';
import { pauseAfter } from '../request-steps/take-turn.js';
import { hideUnreadable, keysThat, mayReadContent } from '../routing/access.js';
import { toPagination, viewList } from '../routing/lists.js';
import { route } from '../routing/route.js';
import { exportEmails } from './export-emails.js';
import { type ListQuery, listQuery } from './list-request.js';
import { openList } from './read-list.js';
import { readMessage } from './read-message.js';
import { rescheduleBody } from './request.js';
import { type StatsQuery, statsQuery, toDays } from './stats-request.js';
import { viewEmail, viewStats, viewSummary } from './view.js';
import { workspaceWithEmail } from './workspace-with-email.js';

const path = '/api/v1/emails';

/** Reading and changing emails. Sending is in send-routes.ts. */
export const emailRoutes = [
  route<undefined, ListQuery>({
    operationId: 'listEmails',
    method: 'get',
    path,
    access: keysThat.readEmails,
    summary: 'List, search or export emails, newest first, including scheduled ones',
    hasLargePages: true,
    alsoContentType: 'text/csv',
    query: listQuery,
    async handle(ctx, { caller, query }) {
      assertNoPageOfExport(query, 'email');
      const readPage = await openList(ctx, caller, query);
      if (query.format === 'csv')
        return buildCsvResponse(exportEmails(ctx, caller, { readPage, mode: modeListed(caller, query) }), 'emails.csv');
      const page = await readPage(toPagination(query));
      const mode = modeListed(caller, query);
      return { status: 200, body: viewList(page, (email) => hideUnreadable(caller, viewSummary(email, mode))) };
    },
  }),

  route<undefined, StatsQuery>({
    operationId: 'getEmailStats',
    method: 'get',
    path: `${path}/stats`,
    access: keysThat.readEmails,
    summary: 'Count recent emails by status, with delivery and bounce rates',
    query: statsQuery,
    async handle(ctx, { caller, query }) {
      const { id } = caller.workspace;
      const stats = await readList(ctx, (db) => reportStats({ ...ctx, db }, id, toDays(query)));
      return { status: 200, body: viewStats(stats) };
    },
  }),

  route({
    operationId: 'getEmail',
    method: 'get',
    path: `${path}/:id`,
    access: keysThat.readEmails,
    summary: 'Retrieve an email with its recipients, events and SMTP conversations',
    hasContent: true,
    async handle(ctx, { caller, params }) {
      return { status: 200, body: await readEmail(ctx, caller, params.id) };
    },
  }),

  route({
    operationId: 'getMessage',
    method: 'get',
    path: `${path}/:id/message`,
    access: keysThat.readContent,
    summary: 'Retrieve the whole message of an email, for test mail or with a session',
    contentType: 'message/rfc822',
    takesOwnTurns: true,
    problems: ['conflict'],
    handle: (ctx, { caller, params }) => readMessage(ctx, caller, params.id),
  }),

  route<{ scheduled_at: string }>({
    operationId: 'rescheduleEmail',
    method: 'patch',
    path: `${path}/:id`,
    access: keysThat.sendEmails,
    summary: 'Reschedule a scheduled, queued or deferred email',
    problems: ['not_cancelable'],
    body: rescheduleBody,
    async handle(ctx, { caller, params, body }) {
      const { id, workspace } = await workspaceWithEmail(ctx, caller, params.id);
      await rescheduleEmail(ctx, workspace.id, { id, scheduledAt: new Date(body.scheduled_at) });
      return { status: 200, body: await readInTurn(ctx, caller, id) };
    },
  }),

  route({
    operationId: 'cancelEmail',
    method: 'post',
    path: `${path}/:id/cancel`,
    access: keysThat.sendEmails,
    summary: 'Cancel a scheduled, queued or deferred email; after a 200 it will never be sent',
    problems: ['not_cancelable'],
    async handle(ctx, { caller, params }) {
      const { id, workspace } = await workspaceWithEmail(ctx, caller, params.id);
      await cancelEmail(ctx, workspace.id, id);
      return { status: 200, body: await readInTurn(ctx, caller, id) };
    },
  }),
];

/**
 * Reads a changed email for the response. Only this read waits for a turn. If the change waited too, a worker could
 * send the email in the meantime.
 */
async function readInTurn(ctx: ApiContext, caller: Caller, id: string) {
  const turn = await ctx.turns.content.begin(caller.workspace.liveId);
  let bytes = 0;
  try {
    const email = await readEmail(ctx, caller, id);
    bytes = (email.html?.length ?? 0) + (email.text?.length ?? 0);
    return email;
  } finally {
    turn.end(pauseAfter(bytes));
  }
}

async function readEmail(ctx: ApiContext, caller: Caller, id: string | undefined) {
  const withContent = mayReadContent(caller);
  const { workspace, ...found } = await workspaceWithEmail(ctx, caller, id);
  const email = await findEmail(ctx.db, workspace.id, found.id, { withContent });
  if (!email) throw new Refusal('not_found', { what: 'email' });
  const content = await renderedContent(ctx.accepting, workspace.id, email);
  return hideUnreadable(caller, viewEmail({ ...email, content }, modeOf(workspace)));
}

function modeListed(caller: Caller, { mode }: ListQuery): Mode {
  return mode ?? modeOf(caller.workspace);
}
