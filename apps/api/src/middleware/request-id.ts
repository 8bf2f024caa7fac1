import { newId } from '@posthorn/domain';
import type { RequestHandler } from 'express';

export const REQUEST_ID_HEADER = 'X-Request-Id';

/** Every answer can be named: by support, in logs, in problem details. */
export function nameRequest(): RequestHandler {
  return (_request, response, next) => {
    response.locals.requestId = newId();
    response.setHeader(REQUEST_ID_HEADER, response.locals.requestId);
    next();
  };
}
