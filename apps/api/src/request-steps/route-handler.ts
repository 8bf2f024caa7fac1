import type { Caller } from '@posthorn/domain/accounts';
import { limits } from '@posthorn/domain/limits';
import { readTraceparent } from '@posthorn/platform/traces';
import type { Request, Response } from 'express';
import type { ApiContext } from '../context/api-context.js';
import { HttpRefusal } from '../http/http-errors.js';
import type { Route, RouteRequest, RouteResponse } from '../routing/route.js';
import { buildAuthenticator } from './authenticate.js';
import { countBeforeReading, countRequestByAddress } from './count-request.js';
import { buildRequestReader } from './read-request.js';
import { endTurn, takeTurn } from './take-turn.js';
import { traceRequest } from './trace-request.js';
import { encodeLarge, isLarge, streamResponse, writeResponse } from './write-response.js';

const STALL_MS = limits.exportStallSeconds.max * 1_000;

/**
 * The steps of a request, in the documented order of errors (docs/architecture.md). One handler per route is faster
 * than a chain of middleware.
 */
export function buildRouteHandler(
  ctx: ApiContext,
  route: Route,
): (request: Request, response: Response) => Promise<void> {
  const assertSameSite = buildCrossSiteGuard(ctx);
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
    return streamResponse(ctx, response, { ...result, stream, stallMs: STALL_MS, assertAllowed });
  };
  return async (request, response) => {
    response.locals.route = route.path;
    // The log line of a refused request has the client's trace.
    response.locals.traceparent = readTraceparent(request.headers.traceparent);
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
      const result = await route.handle(ctx, { caller, requestId, traceparent, params, query, body, request });
      if (result.stream !== undefined) await streamInTurns(result, result.stream, { request, response });
      else writeResponse(ctx, response, isLarge(result) ? await encodeLarge(ctx, response, result) : result);
    } finally {
      endTurn(ctx, route, response);
    }
  };
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

const SAME_SITE = new Set(['same-origin', 'none']);

/**
 * Protects against cross-site request forgery with Sec-Fetch-Site, or with Origin for browsers that do not send it
 * (OWASP cheat sheet). Only requests with a cookie are at risk, because browsers add cookies on their own. A request
 * with an Authorization header is safe, and one without Sec-Fetch-Site and Origin does not come from a browser.
 */
function buildCrossSiteGuard(
  ctx: Pick<ApiContext, 'config' | 'windows'>,
): (request: Request, response: Response) => void {
  const ownOrigin = new URL(ctx.config.publicUrl).origin;
  return (request, response) => {
    const atRisk = !SAFE_METHODS.has(request.method) && request.headers.authorization === undefined;
    if (!atRisk || !isCrossSite(request, ownOrigin)) return;
    countRequestByAddress(ctx, request, response);
    throw new HttpRefusal('csrf_rejected');
  };
}

function isCrossSite(request: Request, ownOrigin: string): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return !SAME_SITE.has(String(site));
  const { origin, host } = request.headers;
  if (origin === undefined) return false;
  return origin !== ownOrigin && origin !== `${request.protocol}://${host}`;
}
