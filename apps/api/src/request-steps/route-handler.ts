import type { Caller } from '@posthorn/domain/accounts';
import { parseTraceparent } from '@posthorn/platform/traces';
import type { Request, Response } from 'express';
import type { ApiContext } from '../context/api-context.js';
import type { Route, RouteRequest, RouteResponse } from '../routing/route.js';
import { buildAuthenticator } from './authenticate.js';
import { countBeforeReading } from './count-request.js';
import { buildCsrfGuard } from './csrf.js';
import { buildRequestReader } from './read-request.js';
import { endTurn, takeTurn } from './take-turn.js';
import { traceRequest } from './trace-request.js';
import { DOWNLOAD_PACE, encodeLarge, isLarge, streamResponse, writeResponse } from './write-response.js';

/**
 * The steps of a request, in the documented order of errors (docs/architecture.md). One handler per route is faster
 * than a chain of middleware.
 */
export function buildRouteHandler(
  ctx: ApiContext,
  route: Route,
): (request: Request, response: Response) => Promise<void> {
  const assertSameSite = buildCsrfGuard(ctx);
  const authenticate = buildAuthenticator(ctx, route);
  const count = countBeforeReading(ctx, route);
  const readRequest = buildRequestReader(ctx, route);
  const streamInTurns = (
    result: RouteResponse,
    stream: AsyncIterator<string | Buffer>,
    { request, response }: { request: Request; response: Response },
  ) => {
    // A slow client would otherwise hold up the workspace's other requests.
    endTurn(ctx, route, response);
    const assertAllowed = () => authenticate(request, response);
    return streamResponse(ctx, response, { ...result, stream, pace: DOWNLOAD_PACE, assertAllowed });
  };
  return async (request, response) => {
    response.locals.route = route.path;
    // The log line of a refused request has the client's trace.
    response.locals.traceparent = parseTraceparent(request.headers.traceparent);
    if (!route.allowsOtherSites) assertSameSite(request, response);
    // A request to a public route has no caller, and the handler does not use one.
    const caller = (await authenticate(request, response)) as Caller;
    response.locals.caller = caller;
    const counted = count(request, response, caller);
    if (counted !== undefined) await counted;
    response.locals.traceparent = traceRequest(ctx, route, request, response);
    try {
      const { body, query } = await readRequest(request, response, caller);
      await takeTurn(ctx, route, request, response);
      const params = request.params as Record<string, string>;
      const { requestId, traceparent } = response.locals as Pick<RouteRequest, 'requestId' | 'traceparent'>;
      const about = { caller, requestId, traceparent, params, query, body, request, response };
      const result = await route.handle(ctx, about);
      if (result.stream !== undefined) await streamInTurns(result, result.stream, { request, response });
      else writeResponse(ctx, response, isLarge(result) ? await encodeLarge(ctx, response, result) : result);
    } finally {
      endTurn(ctx, route, response);
    }
  };
}
