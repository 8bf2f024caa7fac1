import type { Caller } from '@posthorn/domain/accounts';
import { type Traceable, toNotSampled } from '@posthorn/platform/traces';
import type { Request, Response } from 'express';
import type { ApiContext } from '../context/api-context.js';
import type { Route } from '../routing/route.js';

const FIRST_SERVER_ERROR = 500;

/**
 * Starts the span of a request, if the request is traced. The span ends with the response. The traceparent of the span,
 * or else that of the client, is kept with the emails that the request creates, and its flag says whether they are
 * traced. Paths are not recorded, because some contain addresses.
 *
 * Call this after authentication and the rate limit, so that clients without a valid key cannot fill the queue of spans.
 * Requests without a caller are not traced.
 */
export function traceRequest(
  { tracer }: Pick<ApiContext, 'tracer'>,
  { path }: Route,
  request: Request,
  response: Response,
): Traceable['traceparent'] {
  const { requestId, startedAt, traceparent } = response.locals;
  const caller: Caller | null = response.locals.caller;
  const span =
    caller &&
    tracer?.startRequest(
      `${request.method} ${path}`,
      { traceparent },
      {
        kind: 'server',
        startedAt,
        attributes: {
          'http.request.method': request.method,
          'http.route': path,
          'posthorn.request.id': requestId,
          'posthorn.workspace.id': caller.workspace.id,
        },
      },
    );
  if (!span) return traceparent && toNotSampled(traceparent);
  response.once('close', () => {
    const { statusCode, writableFinished } = response;
    span.set({ 'http.response.status_code': statusCode });
    if (!writableFinished) span.end('aborted');
    else span.end(statusCode >= FIRST_SERVER_ERROR ? String(statusCode) : undefined);
  });
  return span.traceparent;
}
