import type { RequestHandler } from 'express';
import type { ApiContext } from '../context.js';
import type { Answer, Call, Route } from '../route.js';

/** Runs the route's handler and writes its answer. */
export function answer(ctx: ApiContext, route: Route): RequestHandler {
  return async (request, response) => {
    const call: Call = {
      caller: response.locals.caller,
      params: request.params as Record<string, string>,
      query: response.locals.query,
      body: request.body,
      request,
    };
    const { status, body, headers }: Answer = await route.handle(ctx, call);
    response.status(status);
    if (headers) response.set(headers);
    if (typeof body === 'object') response.json(body);
    else if (body === undefined) response.end();
    else response.send(body);
  };
}
