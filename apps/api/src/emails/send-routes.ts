import {
  acceptEmails,
  checkEmail,
  type IdempotencyKey,
  type InvalidRequest,
  isInvalid,
  parseIdempotencyKey,
  type SendRequest,
  type Submission,
} from '@posthorn/domain/accepting';
import { toSendCaller } from '@posthorn/domain/accounts';
import Joi from 'joi';
import type { ApiContext } from '../context/api-context.js';
import { countRefusedSends } from '../request-steps/count-request.js';
import { JSON_TYPE } from '../request-steps/write-response.js';
import { keysThat } from '../routing/access.js';
import { defineRoute, type RouteRequest, type RouteResponse } from '../routing/route.js';
import { parseSimpleSend, sendBody } from './request.js';
import { viewAccepted, viewAcceptedBatch, viewCheck, viewPermissiveBatch } from './view.js';

const path = '/api/v1/emails';

type BatchQuery = { mode?: 'permissive' };

/** Reading a batch depends on the mode, too (read-request.ts). */
const batchQuery = Joi.object<BatchQuery>({
  mode: Joi.valid('permissive').messages({
    'any.only': 'must be permissive; without it, all emails of the batch are accepted, or none',
  }),
});

export const sendRoutes = [
  defineRoute<SendRequest>({
    operationId: 'sendEmail',
    method: 'post',
    path,
    access: keysThat.sendEmails,
    keepsToDomains: true,
    summary: 'Send an email, raw or from a template, now or later',
    success: 202,
    body: sendBody,
    batchPath: `${path}/batch`,
    fastPath: parseSimpleSend,
    isSend: true,
    hasLargeBody: true,
    handle: (ctx, request) =>
      send(ctx, request, {
        operation: `POST ${path}`,
        requests: [request.body],
        identity: request.body,
        toResponse: viewAccepted,
      }),
  }),

  defineRoute<Array<SendRequest | InvalidRequest>, BatchQuery>({
    operationId: 'sendBatch',
    method: 'post',
    path: `${path}/batch`,
    access: keysThat.sendEmails,
    keepsToDomains: true,
    summary: 'Send up to 100 emails; all of them are accepted, or none, unless the mode is permissive',
    success: 202,
    body: sendBody,
    query: batchQuery,
    fastPath: parseSimpleSend,
    isBatch: true,
    isSend: true,
    hasLargeBody: true,
    handle(ctx, request) {
      const { body: requests, query } = request;
      const operation = `POST ${path}/batch`;
      if (query.mode === undefined)
        return send(ctx, request, {
          operation,
          requests,
          identity: requests,
          batch: 'strict',
          toResponse: viewAcceptedBatch,
        });
      return send(ctx, request, {
        operation: `${operation}?mode=${query.mode}`,
        requests,
        identity: requests.map((each) => (isInvalid(each) ? each.given : each)),
        batch: query.mode,
        toResponse: viewPermissiveBatch,
      });
    },
  }),

  defineRoute<SendRequest>({
    operationId: 'checkEmail',
    method: 'post',
    path: `${path}/check`,
    access: keysThat.sendEmails,
    keepsToDomains: true,
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

/** `identity` is what a repeated request has in common with the first one, in addition to the operation. */
type Send = Pick<Submission, 'requests' | 'batch' | 'toResponse'> & {
  readonly operation: string;
  readonly identity: unknown;
};

async function send(
  ctx: ApiContext,
  request: RouteRequest,
  { operation, identity, requests, batch, toResponse }: Send,
): Promise<RouteResponse> {
  const idempotencyKey = await readKey(ctx, request, operation, identity);
  const { caller, requestId, traceparent } = request;
  const { body, rate, replayed, accepted } = await acceptEmails(ctx.accepting, {
    caller: toSendCaller(caller),
    requestId,
    traceparent,
    requests,
    batch,
    idempotencyKey,
    toResponse,
  });
  if (replayed) ctx.metrics.replayed.inc();
  else ctx.metrics.accepted.inc(accepted);
  return { status: 202, body, rate, headers: replayed ? REPLAYED_HEADERS : HEADERS };
}

const HEADERS = { 'Content-Type': JSON_TYPE };
const REPLAYED_HEADERS = { ...HEADERS, 'Idempotent-Replayed': 'true' };

/** Reads `headersDistinct` only if there is a key, because Node has to build it from all headers. */
async function readKey(
  ctx: ApiContext,
  { caller, request }: Pick<RouteRequest, 'caller' | 'request'>,
  operation: string,
  identity: unknown,
): Promise<IdempotencyKey | null> {
  if (request.headers['idempotency-key'] === undefined) return null;
  return countRefusedSends(ctx, caller, () =>
    parseIdempotencyKey(request.headersDistinct['idempotency-key'], operation, identity),
  );
}
