import type { RequestListener } from 'node:http';
import { newId } from '@posthorn/domain';
import type { Express, Request, Response } from 'express';
import { routes } from './app.js';
import type { ApiContext } from './context.js';
import { sendProblem } from './middleware/problems.js';
import { serve } from './middleware/serve.js';

/**
 * Finds a route that has no parameters by its name, at once; all else goes the way through Express, which tries
 * one route after the other. Either way the route's one handler is what a request meets.
 * @param app made the requests and responses: `httpClassesOf`
 */
export function dispatcher(ctx: ApiContext, app: Express): RequestListener {
  const exact = new Map(
    routes
      .filter(({ path }) => !path.includes(':'))
      .map((route) => [`${route.method.toUpperCase()} ${route.path}`, serve(ctx, route)]),
  );
  const fail = sendProblem(ctx);

  function respond(request: Request, response: Response): void {
    // The request id is in every response, in logs and in problem details; the start time is for the metrics.
    response.locals = { requestId: newId(), startedAt: performance.now(), route: undefined };
    const handle = exact.get(`${request.method} ${request.url}`);
    if (!handle) {
      app(request, response);
      return;
    }
    request.params = {};
    handle(request, response)
      .catch((error) => fail(error, request, response))
      // A fault of the way out itself: nobody else would end the request.
      .catch(() => response.destroy());
  }
  return respond as RequestListener;
}
