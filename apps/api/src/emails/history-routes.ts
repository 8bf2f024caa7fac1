import { type EmailSummary, findEmailSummary, listAttempts, listEvents } from '@posthorn/domain/emails';
import { Refusal } from '@posthorn/domain/errors';
import { listReports } from '@posthorn/domain/feedback';
import type { ApiContext } from '../context/api-context.js';
import { keysThat } from '../routing/access.js';
import { buildListQuery, buildNumberCursors, type PaginationQuery, toPagination, viewList } from '../routing/lists.js';
import { type RouteRequest, route } from '../routing/route.js';
import { viewAttempt, viewEmailEvent, viewReport } from './view.js';
import { workspaceWithEmail } from './workspace-with-email.js';

const path = '/api/v1/emails/:id';

export const emailHistoryRoutes = [
  route<undefined, PaginationQuery>({
    operationId: 'listAttempts',
    method: 'get',
    path: `${path}/attempts`,
    access: keysThat.readEmails,
    summary: 'List the delivery attempts of an email with their SMTP conversations, newest first',
    hasLargePages: true,
    query: buildListQuery<PaginationQuery>(buildNumberCursors('an attempt number from this list')),
    async handle(ctx, request) {
      const { id } = await emailOf(ctx, request);
      return { status: 200, body: viewList(await listAttempts(ctx.db, id, toPagination(request.query)), viewAttempt) };
    },
  }),

  route<undefined, PaginationQuery>({
    operationId: 'listEmailEvents',
    method: 'get',
    path: `${path}/events`,
    access: keysThat.readEmails,
    summary: 'List the events of an email, newest first',
    hasLargePages: true,
    query: buildListQuery<PaginationQuery>(buildNumberCursors('a sequence from this list')),
    async handle(ctx, request) {
      const { id } = await emailOf(ctx, request);
      return { status: 200, body: viewList(await listEvents(ctx.db, id, toPagination(request.query)), viewEmailEvent) };
    },
  }),

  route<undefined, PaginationQuery>({
    operationId: 'listReports',
    method: 'get',
    path: `${path}/reports`,
    // A report usually contains the email, and a leaked key must not expose all the mail that was ever sent.
    access: 'session',
    summary: 'List the bounces and complaints that were received about an email, newest first',
    hasLargePages: true,
    query: buildListQuery<PaginationQuery>(),
    async handle(ctx, request) {
      const { id } = await emailOf(ctx, request);
      return { status: 200, body: viewList(await listReports(ctx.db, id, toPagination(request.query)), viewReport) };
    },
  }),
];

async function emailOf(
  ctx: ApiContext,
  { caller, params: { id = '' } }: RouteRequest<undefined, PaginationQuery>,
): Promise<EmailSummary> {
  const { workspace } = await workspaceWithEmail(ctx, caller, id);
  const email = await findEmailSummary(ctx.db, workspace.id, id);
  if (!email) throw new Refusal('not_found', { what: 'email' });
  return email;
}
