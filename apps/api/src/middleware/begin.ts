import { newId } from '@posthorn/domain';
import type { RequestHandler } from 'express';

/** Every answer can be named: by support, in logs, in problem details. Every answer is timed. */
export function begin(): RequestHandler {
  return (_request, response, next) => {
    response.locals.requestId = newId();
    response.locals.startedAt = performance.now();
    next();
  };
}
