import { readTraceparent, type Traceable } from '@posthorn/domain';
import type { Request, Response } from 'express';
import type { ApiContext } from '../context.js';
import type { Route } from '../route.js';

const FIRST_SERVER_ERROR = 500;

/**
 * Finds out under which traceparent the request is traced: that of its own span, which ends with the response, or else
 * the client's. It is kept with the emails that the request creates. Paths are not recorded, because some contain
 * addresses.
 */
export function traceRequest(
  { tracer }: Pick<ApiContext, 'tracer'>,
  route: Route,
  request: Request,
  response: Response,
): Traceable['traceparent'] {
  const traceparent = readTraceparent(request.headers.traceparent);
  if (tracer === null || !isWorthTracing(route)) return traceparent;
  const { requestId } = response.locals;
  const span = tracer.startRequest(
    `${request.method} ${route.path}`,
    { traceparent },
    {
      kind: 'server',
      attributes: {
        'http.request.method': request.method,
        'http.route': route.path,
        'posthorn.request.id': requestId,
      },
    },
  );
  if (!span) return traceparent;
  response.once('close', () => {
    const { statusCode, writableFinished } = response;
    span.set({
      'http.response.status_code': statusCode,
      'posthorn.workspace.id': response.locals.caller?.workspace.id,
    });
    if (!writableFinished) span.end('aborted');
    else span.end(statusCode >= FIRST_SERVER_ERROR ? String(statusCode) : undefined);
  });
  return span.traceparent;
}

/** Health checks and the files of the docs have no rate limit. */
function isWorthTracing({ rateLimit }: Route): boolean {
  return rateLimit !== 'none';
}
