import type { RequestListener } from 'node:http';
import { Refusal } from '@posthorn/domain/errors';
import { newId } from '@posthorn/platform/values';
import type { Express, Request, Response } from 'express';
import { routes } from '../app.js';
import type { ApiContext } from '../context.js';
import { pipelineGuard } from '../load-limits/pipeline-guard.js';
import { countRequestByAddress } from '../request-steps/count-request-by-address.js';
import { routeHandler } from '../request-steps/route-handler.js';
import { sendProblem } from '../request-steps/send-problem.js';

/** Longer than any path that exists. Express would compare a longer URL with every route. */
const MAX_URL_CHARACTERS = 4_000;

/**
 * Looks up routes without path parameters in a map. All other requests go to Express, which tries the routes one after
 * another. Either way, the same handler runs.
 * @param app the Express app whose requests and responses the server creates (http-classes.ts)
 */
export function dispatcher(ctx: ApiContext, app: Express): RequestListener {
  const exact = new Map(
    routes
      .filter(({ path }) => !path.includes(':'))
      .map((route) => [`${route.method.toUpperCase()} ${route.path}`, routeHandler(ctx, route)]),
  );
  const fail = sendProblem(ctx);
  const mayWait = pipelineGuard();

  function refuseUrl(request: Request, response: Response): void {
    try {
      countRequestByAddress(ctx, request, response);
      fail(new Refusal('not_found', { what: 'path' }), request, response);
    } catch (error) {
      fail(error, request, response);
    }
  }

  function respond(request: Request, response: Response): void {
    // Node then adds `Connection: close`, so that the client makes its next request to another process.
    if (ctx.shutdown.hasBegun()) response.shouldKeepAlive = false;
    // A pipelined response gets its socket only when the responses before it have been sent.
    if (response.socket === null && !mayWait(request, response)) return;
    // The request id goes into the response, the logs and problem details. The metrics need the start time.
    response.locals = {
      requestId: newId(),
      traceparent: undefined,
      startedAt: performance.now(),
      route: undefined,
      caller: null,
      rate: undefined,
      turn: null,
    };
    const handle = exact.get(`${request.method} ${request.url}`);
    if (!handle) {
      if (request.url.length <= MAX_URL_CHARACTERS) app(request, response);
      else refuseUrl(request, response);
      return;
    }
    request.params = {};
    handle(request, response)
      .catch((error) => fail(error, request, response))
      // Sending the problem details failed too. Without this, the request would stay open.
      .catch(() => response.destroy());
  }
  return respond as RequestListener;
}
