import type { Mode } from '@posthorn/contract';
import type { Caller } from '@posthorn/domain/accounts';
import { listReports } from '@posthorn/domain/bounces';
import {
  cancelEmail,
  type DeliveryAttempt,
  type EmailEvent,
  type EmailSummary,
  findEmail,
  findEmailSummary,
  listAttempts,
  listEvents,
  renderStoredContent,
  reportStats,
  rescheduleEmail,
} from '@posthorn/domain/emails';
import { Refusal } from '@posthorn/domain/errors';
import { getMode } from '@posthorn/domain/workspaces';
import { readList } from '@posthorn/platform/replica';
import type { ApiContext } from '../context/api-context.js';
import { assertNoPageOfExport, buildCsvResponse } from '../csv/csv-export.js';
import { runInContentTurn, toPauseMs } from '../request-steps/take-turn.js';
import { hideUnreadable, keysThat, mayReadContent } from '../routing/access.js';
import { findDomainIds, getWorkspaceWithEmail } from '../routing/caller.js';
import { explainTo, hideInAttempt, hideInEmail, hideInEvent } from '../routing/hide-content.js';
import { buildListQuery, buildNumberCursors, type PaginationQuery, toPagination, viewList } from '../routing/lists.js';
import { defineRoute, type RouteRequest } from '../routing/route.js';
import {
  exportEmails,
  type ListQuery,
  listQuery,
  openList,
  type StatsQuery,
  statsQuery,
  toDays,
} from './list-emails.js';
import { readMessage } from './read-message.js';
import { rescheduleBody } from './request.js';
import { viewAttempt, viewEmail, viewEmailEvent, viewReport, viewStats, viewSummary } from './view.js';

const path = '/api/v1/emails';

/** Reading and changing emails. Sending is in send-routes.ts. */
export const emailRoutes = [
  defineRoute<undefined, ListQuery>({
    operationId: 'listEmails',
    method: 'get',
    path,
    access: keysThat.readEmails,
    keepsToDomains: true,
    summary: 'List, search or export emails, newest first, including scheduled ones',
    hasLargePages: true,
    alsoContentType: 'text/csv',
    query: listQuery,
    async handle(ctx, { caller, query }) {
      assertNoPageOfExport(query, 'email');
      const readPage = await openList(ctx, caller, query);
      if (query.format === 'csv')
        return buildCsvResponse(
          exportEmails(ctx, caller, { readPage, mode: getListedMode(caller, query) }),
          'emails.csv',
        );
      const page = await readPage(toPagination(query));
      const mode = getListedMode(caller, query);
      return { status: 200, body: viewList(page, (email) => hideUnreadable(caller, viewSummary(email, mode))) };
    },
  }),

  defineRoute<undefined, StatsQuery>({
    operationId: 'getEmailStats',
    method: 'get',
    path: `${path}/stats`,
    access: keysThat.readEmails,
    keepsToDomains: true,
    summary: 'Count recent emails by status, with delivery and bounce rates',
    query: statsQuery,
    async handle(ctx, { caller, query }) {
      const { id } = caller.workspace;
      const stats = await readList(ctx, (db) => reportStats({ ...ctx, db }, id, toDays(query), findDomainIds(caller)));
      return { status: 200, body: viewStats(stats) };
    },
  }),

  defineRoute({
    operationId: 'getEmail',
    method: 'get',
    path: `${path}/:id`,
    access: keysThat.readEmails,
    keepsToDomains: true,
    summary: 'Retrieve an email with its recipients, events and SMTP conversations',
    hasContent: true,
    async handle(ctx, { caller, params }) {
      return { status: 200, body: await readEmail(ctx, caller, params.id) };
    },
  }),

  defineRoute({
    operationId: 'getMessage',
    method: 'get',
    path: `${path}/:id/message`,
    access: keysThat.readContent,
    keepsToDomains: true,
    summary: 'Retrieve the whole message of an email, for test mail or with a session',
    contentType: 'message/rfc822',
    takesOwnTurns: true,
    problems: ['conflict'],
    handle: readMessage,
  }),

  defineRoute<{ scheduled_at: string }>({
    operationId: 'rescheduleEmail',
    method: 'patch',
    path: `${path}/:id`,
    access: keysThat.sendEmails,
    keepsToDomains: true,
    summary: 'Reschedule a scheduled, queued or deferred email',
    problems: ['not_cancelable'],
    body: rescheduleBody,
    async handle(ctx, { caller, params, body }) {
      const { id, workspace } = await getWorkspaceWithEmail(ctx, caller, params.id);
      await rescheduleEmail(ctx, workspace.id, { id, scheduledAt: new Date(body.scheduled_at) });
      return { status: 200, body: await readInTurn(ctx, caller, id) };
    },
  }),

  defineRoute({
    operationId: 'cancelEmail',
    method: 'post',
    path: `${path}/:id/cancel`,
    access: keysThat.sendEmails,
    keepsToDomains: true,
    summary: 'Cancel a scheduled, queued or deferred email; after a 200 it will never be sent',
    problems: ['not_cancelable'],
    async handle(ctx, { caller, params }) {
      const { id, workspace } = await getWorkspaceWithEmail(ctx, caller, params.id);
      await cancelEmail(ctx, workspace.id, id);
      return { status: 200, body: await readInTurn(ctx, caller, id) };
    },
  }),

  defineRoute<undefined, PaginationQuery>({
    operationId: 'listAttempts',
    method: 'get',
    path: `${path}/:id/attempts`,
    access: keysThat.readEmails,
    keepsToDomains: true,
    summary: 'List the delivery attempts of an email with their SMTP conversations, newest first',
    hasLargePages: true,
    query: buildListQuery(buildNumberCursors('an attempt number from this list')),
    async handle(ctx, request) {
      const email = await getSummary(ctx, request);
      const page = await listAttempts(ctx.db, email.id, toPagination(request.query));
      const view = (attempt: DeliveryAttempt) => hideInAttempt(request.caller, viewAttempt(attempt), email);
      return { status: 200, body: viewList(page, view) };
    },
  }),

  defineRoute<undefined, PaginationQuery>({
    operationId: 'listEmailEvents',
    method: 'get',
    path: `${path}/:id/events`,
    access: keysThat.readEmails,
    keepsToDomains: true,
    summary: 'List the events of an email, newest first',
    hasLargePages: true,
    query: buildListQuery(buildNumberCursors('a sequence from this list')),
    async handle(ctx, request) {
      const email = await getSummary(ctx, request);
      const page = await listEvents(ctx.db, email.id, toPagination(request.query));
      const view = (event: EmailEvent) => hideInEvent(request.caller, viewEmailEvent(event), email);
      return { status: 200, body: viewList(page, view) };
    },
  }),

  defineRoute<undefined, PaginationQuery>({
    operationId: 'listReports',
    method: 'get',
    path: `${path}/:id/reports`,
    // A report usually contains the email, and a leaked key must not expose all the mail that was ever sent.
    access: 'session',
    summary: 'List the bounces and complaints that were received about an email, newest first',
    hasLargePages: true,
    query: buildListQuery(),
    async handle(ctx, request) {
      const { id } = await getSummary(ctx, request);
      return { status: 200, body: viewList(await listReports(ctx.db, id, toPagination(request.query)), viewReport) };
    },
  }),
];

/**
 * Reads a changed email for the response. Only this read waits for a turn. If the change waited too, a worker could
 * send the email in the meantime.
 */
function readInTurn(ctx: ApiContext, caller: Caller, id: string) {
  return runInContentTurn(
    ctx,
    caller.workspace.liveId,
    () => readEmail(ctx, caller, id),
    (email) => toPauseMs((email?.html?.length ?? 0) + (email?.text?.length ?? 0)),
  );
}

async function readEmail(ctx: ApiContext, caller: Caller, id: string | undefined) {
  const withContent = mayReadContent(caller);
  const { workspace, ...found } = await getWorkspaceWithEmail(ctx, caller, id);
  const email = await findEmail(ctx.db, workspace.id, found.id, { withContent });
  if (!email) throw new Refusal('not_found', { what: 'email' });
  const content = await renderStoredContent(ctx.accepting, workspace.id, email);
  const explanation = explainTo(caller, email, ctx.now());
  return hideInEmail(caller, viewEmail({ ...email, content }, getMode(workspace), explanation));
}

function getListedMode(caller: Caller, { mode }: ListQuery): Mode {
  return mode ?? getMode(caller.workspace);
}

async function getSummary(
  ctx: ApiContext,
  { caller, params: { id = '' } }: RouteRequest<undefined, PaginationQuery>,
): Promise<EmailSummary> {
  const { workspace } = await getWorkspaceWithEmail(ctx, caller, id);
  const email = await findEmailSummary(ctx.db, workspace.id, id);
  if (!email) throw new Refusal('not_found', { what: 'email' });
  return email;
}
