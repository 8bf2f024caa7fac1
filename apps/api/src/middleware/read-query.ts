import type { RequestHandler } from 'express';
import type { Route } from '../route.js';
import { assertPlain } from './plain-json.js';
import { validate } from './validate.js';

/** Validates the query string into `response.locals.query`: an unknown parameter is a 422, not ignored. */
export function readQuery(route: Route): RequestHandler {
  const { query: schema } = route;
  if (!schema) return (_request, _response, next) => next();
  return (request, response, next) => {
    assertPlain(request.query);
    response.locals.query = validate(schema, { ...request.query });
    next();
  };
}
