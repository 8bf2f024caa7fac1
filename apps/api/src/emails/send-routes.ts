import {
  acceptEmails,
  checkEmail,
  type IdempotencyKey,
  parseIdempotencyKey,
  type SendRequest,
  type Submission,
} from '@posthorn/domain/accepting';
import { toSendCaller } from '@posthorn/domain/accounts';
import type { ApiContext } from '../context/api-context.js';
import { countRefusedSends } from '../request-steps/count-request.js';
import { JSON_TYPE } from '../request-steps/write-response.js';
import { keysThat } from '../routing/access.js';
import { defineRoute, type RouteRequest, type RouteResponse } from '../routing/route.js';
import { parseSimpleSend, sendBody } from './request.js';
import { viewAccepted, viewAcceptedBatch, viewCheck } from './view.js';

const path = '/api/v1/emails';

export const sendRoutes = [
  defineRoute<SendRequest>({
    operationId: 'sendEmail',
    method: 'post',
    path,
    access: keysThat.sendEmails,
    summary: 'Send an email, raw or from a template, now or later',
    success: 202,
    body: sendBody,
    batchPath: `${path}/batch`,
    fastPath: parseSimpleSend,
    isSend: true,
    hasLargeBody: true,
    handle: (ctx, request) =>
      send(ctx, request, { operation: `POST ${path}`, requests: [request.body], toResponse: viewAccepted }),
  }),

  defineRoute<SendRequest[]>({
    operationId: 'sendBatch',
    method: 'post',
    path: `${path}/batch`,
    access: keysThat.sendEmails,
    summary: 'Send up to 100 emails; either all of them are accepted, or none',
    success: 202,
    body: sendBody,
    fastPath: parseSimpleSend,
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

  defineRoute<SendRequest>({
    operationId: 'checkEmail',
    method: 'post',
    path: `${path}/check`,
    access: keysThat.sendEmails,
    summary: 'Check what would happen to an email, without sending or counting it',
    problems: [
      'sender_not_verified',
      'domain_not_allowed',
      'account_not_verified',
      'workspace_paused',
      'template_not_found',
      'domain_not_found',
    ],
    body: sendBody,
    fastPath: parseSimpleSend,
    hasLargeBody: true,
    hasContent: true,
    rateLimit: 'heavyRequests',
    async handle(ctx, { caller, body }) {
      return { status: 200, body: viewCheck(await checkEmail(ctx.accepting, toSendCaller(caller), body)) };
    },
  }),
];

type Send = Pick<Submission, 'requests' | 'isBatch' | 'toResponse'> & { readonly operation: string };

async function send(
  ctx: ApiContext,
  request: RouteRequest,
  { operation, requests, isBatch = false, toResponse }: Send,
): Promise<RouteResponse> {
  const idempotencyKey = await readKey(ctx, request, operation);
  const { caller, requestId, traceparent } = request;
  const { body, rate, replayed } = await acceptEmails(ctx.accepting, {
    caller: toSendCaller(caller),
    requestId,
    traceparent,
    requests,
    isBatch,
    idempotencyKey,
    toResponse,
  });
  if (replayed) ctx.metrics.replayed.inc();
  else ctx.metrics.accepted.inc(requests.length);
  return { status: 202, body, rate, headers: replayed ? REPLAYED_HEADERS : HEADERS };
}

const HEADERS = { 'Content-Type': JSON_TYPE };
const REPLAYED_HEADERS = { ...HEADERS, 'Idempotent-Replayed': 'true' };

/** Reads `headersDistinct` only if there is a key, because Node has to build it from all headers. */
async function readKey(
  ctx: ApiContext,
  { caller, body, request }: RouteRequest,
  operation: string,
): Promise<IdempotencyKey | null> {
  if (request.headers['idempotency-key'] === undefined) return null;
  return countRefusedSends(ctx, caller, () =>
    parseIdempotencyKey(request.headersDistinct['idempotency-key'], operation, body),
  );
}
