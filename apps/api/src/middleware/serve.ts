import type { Caller } from '@posthorn/domain';
import type { Request, Response } from 'express';
import type { ApiContext } from '../context.js';
import type { Route } from '../route.js';
import { authenticator } from './authenticate.js';
import { bodyReader } from './read-body.js';
import { queryReader } from './read-query.js';
import { refuseCrossSite } from './refuse-cross-site.js';
import { writeResponse } from './write-response.js';

/**
 * What a request meets, in the contract's order. One handler for each route: a chain of middleware
 * costs more than what most of them do.
 */
export function serve(ctx: ApiContext, route: Route): (request: Request, response: Response) => Promise<void> {
  const assertSameSite = refuseCrossSite(ctx);
  const authenticate = authenticator(ctx, route);
  const readBody = bodyReader(ctx, route);
  const readQuery = queryReader(route);
  return async (request, response) => {
    response.locals.route = route.path;
    assertSameSite(request);
    // A public route has none and asks for none.
    const caller = (await authenticate(request)) as Caller;
    const body = await readBody(request, caller);
    const query = readQuery(request);
    const params = request.params as Record<string, string>;
    writeResponse(ctx, response, await route.handle(ctx, { caller, params, query, body, request }));
  };
}
