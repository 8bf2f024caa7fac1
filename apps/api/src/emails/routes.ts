import {
  acceptEmails,
  type Caller,
  cancelEmail,
  findEmail,
  type IdempotencyKey,
  isId,
  listEmails,
  Refusal,
  rateLimitIdOf,
  readIdempotencyKey,
  renderedContent,
  reportStats,
  rescheduleEmail,
  type SendRequest,
  type Submission,
} from '@posthorn/domain';
import { keysThat, mayReadContent, visibleTo } from '../access.js';
import type { ApiContext } from '../context.js';
import { toPagination, viewList } from '../lists.js';
import { pauseAfter } from '../load-limits/take-turn.js';
import { countRefusedSends } from '../request-steps/count-refused-sends.js';
import { JSON_TYPE } from '../request-steps/write-response.js';
import { type RouteRequest, type RouteResponse, route } from '../route.js';
import { type ListQuery, listQuery, toFilters } from './list-request.js';
import { readSimpleSend } from './read-simple-send.js';
import { rescheduleBody, sendBody } from './request.js';
import { type StatsQuery, statsQuery, toDays } from './stats-request.js';
import { viewAccepted, viewAcceptedBatch, viewEmail, viewStats, viewSummary } from './view.js';

const path = '/api/v1/emails';

export const emailRoutes = [
  route<SendRequest>({
    method: 'post',
    path,
    access: keysThat.sendEmails,
    summary: 'Send an email, raw or from a template, now or later',
    body: sendBody,
    fastPath: readSimpleSend,
    isSend: true,
    hasLargeBody: true,
    handle: (ctx, request) =>
      send(ctx, request, { operation: `POST ${path}`, requests: [request.body], toResponse: viewAccepted }),
  }),

  route<SendRequest[]>({
    method: 'post',
    path: `${path}/batch`,
    access: keysThat.sendEmails,
    summary: 'Send up to 100 emails; either all of them are accepted, or none',
    body: sendBody,
    fastPath: readSimpleSend,
    isBatch: true,
    isSend: true,
    hasLargeBody: true,
    handle: (ctx, request) =>
      send(ctx, request, {
        operation: `POST ${path}/batch`,
        requests: request.body,
        isBatch: true,
        toResponse: viewAcceptedBatch,
      }),
  }),

  route<undefined, ListQuery>({
    method: 'get',
    path,
    access: keysThat.readEmails,
    summary: 'List emails, newest first, including scheduled ones',
    hasLargePages: true,
    query: listQuery,
    async handle(ctx, { caller, query }) {
      const page = await listEmails(ctx.db, caller.workspace.id, toFilters(query), toPagination(query));
      return { status: 200, body: viewList(page, (email) => visibleTo(caller, viewSummary(email))) };
    },
  }),

  // Must come before the route for a single email, which would read "stats" as an id.
  route<undefined, StatsQuery>({
    method: 'get',
    path: `${path}/stats`,
    access: keysThat.readEmails,
    summary: 'Count recent emails by status, with delivery and bounce rates',
    query: statsQuery,
    async handle(ctx, { caller, query }) {
      return { status: 200, body: viewStats(await reportStats(ctx, caller.workspace.id, toDays(query))) };
    },
  }),

  route({
    method: 'get',
    path: `${path}/:id`,
    access: keysThat.readEmails,
    summary: 'Retrieve an email with its recipients, events and SMTP conversations',
    hasContent: true,
    async handle(ctx, { caller, params }) {
      return { status: 200, body: await readEmail(ctx, caller, params.id) };
    },
  }),

  route<{ scheduled_at: string }>({
    method: 'patch',
    path: `${path}/:id`,
    access: keysThat.sendEmails,
    summary: 'Reschedule a scheduled, queued or deferred email',
    body: rescheduleBody,
    async handle(ctx, { caller, params, body }) {
      const id = emailIdOf(params.id);
      await rescheduleEmail(ctx, caller.workspace.id, { id, scheduledAt: new Date(body.scheduled_at) });
      return { status: 200, body: await readInTurn(ctx, caller, id) };
    },
  }),

  route({
    method: 'post',
    path: `${path}/:id/cancel`,
    access: keysThat.sendEmails,
    summary: 'Cancel a scheduled, queued or deferred email; after a 200 it will never be sent',
    async handle(ctx, { caller, params }) {
      const id = emailIdOf(params.id);
      await cancelEmail(ctx, caller.workspace.id, id);
      return { status: 200, body: await readInTurn(ctx, caller, id) };
    },
  }),
];

type Send = Pick<Submission, 'requests' | 'isBatch' | 'toResponse'> & { readonly operation: string };

async function send(ctx: ApiContext, request: RouteRequest, { operation, ...emails }: Send): Promise<RouteResponse> {
  const idempotencyKey = await readKey(ctx, request, operation);
  const { caller, requestId } = request;
  const sender = { id: rateLimitIdOf(caller), workspace: caller.workspace };
  const submission = { ...emails, caller: sender, requestId, idempotencyKey };
  const { body, rate, replayed } = await acceptEmails(ctx.accepting, submission);
  if (replayed) ctx.metrics.replayed.inc();
  else ctx.metrics.accepted.inc(emails.requests.length);
  const headers = { 'Content-Type': JSON_TYPE, ...(replayed && { 'Idempotent-Replayed': 'true' }) };
  return { status: 202, body, rate, headers };
}

/** Reads `headersDistinct` only if there is an Idempotency-Key, because Node has to build it from all headers. */
async function readKey(
  ctx: ApiContext,
  { caller, body, request }: RouteRequest,
  operation: string,
): Promise<IdempotencyKey | null> {
  if (request.headers['idempotency-key'] === undefined) return null;
  return countRefusedSends(ctx, caller, () =>
    readIdempotencyKey(request.headersDistinct['idempotency-key'], operation, body),
  );
}

/**
 * Reads a changed email for the response. Only this read waits for a turn. If the change waited too, a worker could
 * send the email in the meantime.
 */
async function readInTurn(ctx: ApiContext, caller: Caller, id: string) {
  const turn = await ctx.contentTurns.begin(caller.workspace.id);
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
  const email = await findEmail(ctx.db, caller.workspace.id, emailIdOf(id), { withContent });
  if (!email) throw new Refusal('not_found', { what: 'email' });
  const content = await renderedContent(ctx.accepting, caller.workspace.id, email);
  return visibleTo(caller, viewEmail({ ...email, content }));
}

function emailIdOf(id: string | undefined): string {
  if (id === undefined || !isId(id)) throw new Refusal('not_found', { what: 'email' });
  return id;
}
