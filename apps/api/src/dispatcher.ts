import type { RequestListener } from 'node:http';
import { newId } from '@posthorn/domain';
import type { Express, Request, Response } from 'express';
import { routes } from './app.js';
import type { ApiContext } from './context.js';
import { routeHandler } from './middleware/route-handler.js';
import { sendProblem } from './middleware/send-problem.js';

/**
 * Looks up routes without path parameters in a map. All other requests go to Express, which tries the routes one
 * after another. Both ways run the same handler.
 * @param app the Express app whose requests and responses the server creates (http-classes.ts)
 */
export function dispatcher(ctx: ApiContext, app: Express): RequestListener {
  const exact = new Map(
    routes
      .filter(({ path }) => !path.includes(':'))
      .map((route) => [`${route.method.toUpperCase()} ${route.path}`, routeHandler(ctx, route)]),
  );
  const fail = sendProblem(ctx);

  function respond(request: Request, response: Response): void {
    // The request id goes into the response, the logs and problem details. The metrics need the start time.
    response.locals = { requestId: newId(), startedAt: performance.now(), route: undefined };
    const handle = exact.get(`${request.method} ${request.url}`);
    if (!handle) {
      app(request, response);
      return;
    }
    request.params = {};
    handle(request, response)
      .catch((error) => fail(error, request, response))
      // Writing the problem failed too, so nothing else would end the request.
      .catch(() => response.destroy());
  }
  return respond as RequestListener;
}
