import type { Express } from 'express';
import type { ApiContext } from '../context.js';
import { HttpRefusal } from '../http/http-errors.js';
import type { Route } from '../route.js';
import { countRequestByAddress } from './count-request-by-address.js';

/**
 * Responds with 405 to every other method on the path of a route (RFC 9110, 15.5.6). Call it after adding the routes.
 */
export function refuseOtherMethods(ctx: ApiContext, app: Express, routes: readonly Route[]): void {
  for (const [path, allowed] of methodsByPath(routes)) {
    // `app.all` would add a handler for every HTTP method, and each one slows down the start.
    app.route(path).all((request, response) => {
      response.locals.route = path;
      countRequestByAddress(ctx, request, response);
      throw new HttpRefusal('method_not_allowed', { method: request.method, allowed }).with({ allowed });
    });
  }
}

/** Express also answers HEAD on every GET route. */
function methodsByPath(routes: readonly Route[]): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { path, method } of routes) {
    const names = method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()];
    methods.set(path, [...(methods.get(path) ?? []), ...names]);
  }
  return methods;
}
